import type { Application } from '../connectors/contract.ts';
import { isLoopback } from '../platform/config-readers.ts';
import type { Database } from '../platform/db/database.ts';
import type { Mailer } from '../platform/mail.ts';
import type { Queue } from '../platform/queue.ts';
import type { Keyring } from '../platform/seal.ts';
import type { StoreParts } from './sync/follow-up.ts';
import type { PageStore } from './sync/store-page.ts';
import type { NotificationBudget } from './webhooks/notification-budget.ts';
import type { Wire } from './wire/call-state.ts';

/** The parts that the verbs of the exchange work with. */
export interface ExchangeParts extends Wire, StoreParts {
  readonly database: Database;
  readonly queue: Queue;
  readonly keyring: Keyring;
  readonly mailer: Mailer;
  /** Our application at each marketplace that has a consent page, by slug. */
  readonly applications: Readonly<Record<string, Application>>;
  /** Simulators' addresses by slug; they precede a connection's own. */
  readonly baseUrls: Readonly<Record<string, string>>;
  /** Other addresses for guides alone, by slug. */
  readonly guideUrls: Readonly<Record<string, string>>;
  readonly publicUrl: string;
  /** The journal of removals; null = the database is a served one, with backups of its own. */
  readonly removalsFile: string | null;
  /** Address of the SAT's service for the status of CFDI; null = it is never asked. */
  readonly satUrl: string | null;
  /** How long a document of an order stays after a newer one replaced it. */
  readonly documentsDays: number;
  /**
   * The period over which stored orders are rendered again after a release that shows them
   * differently.
   */
  readonly rerenderHours: number;
  readonly pages: PageStore;
  readonly notificationBudget: NotificationBudget;
  /** The process stops: what does one task after the other begins no more. */
  readonly isStopping: () => boolean;
}

/**
 * A simulator that the operator set may be on loopback, in the settings of the warehouse too; an
 * address that a customer typed must be public.
 * @param hostUrls other addresses for single hosts
 */
export function reachOf(
  parts: Pick<ExchangeParts, 'baseUrls' | 'guideUrls'>,
  connection: { service: string; baseUrl: string | null },
  hostUrls: Readonly<Record<string, string>> = {},
) {
  const baseUrl = parts.baseUrls[connection.service] ?? connection.baseUrl;
  const guide = parts.guideUrls[connection.service];
  const isOfOperator =
    baseUrl !== null || guide !== undefined || Object.values(hostUrls).some(isLoopback);
  return {
    baseUrl,
    addresses: isOfOperator ? ('any' as const) : ('public' as const),
    hostUrls: { ...(guide !== undefined && { guide }), ...hostUrls },
  };
}

export function applicationOf(
  parts: Pick<ExchangeParts, 'applications'>,
  slug: string,
): Application | null {
  return parts.applications[slug] ?? null;
}
