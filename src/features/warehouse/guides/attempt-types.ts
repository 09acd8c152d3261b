import type { GuideRequest } from '../../../carriers/contract.ts';
import type { Decimal } from '../../../platform/money.ts';
import type { Instant } from '../../../platform/time.ts';
import type { Obstacle } from './guide-obstacle.ts';

/**
 * `queued`: not sent yet. `sent`: sent, without an answer so far. `unknown`: sent, and the answer
 * is lost; it is never sent again automatically.
 */
export type AttemptState = 'queued' | 'sent' | 'ok' | 'failed' | 'unknown';

/** One attempt to make a guide for a line. */
export interface Attempt {
  readonly id: string;
  readonly lineId: string;
  readonly batchId: string;
  /** The reference by which the carrier finds the guide again. */
  readonly reference: string;
  readonly state: AttemptState;
  readonly carrier: string;
  readonly connectionId: string | null;
  readonly request: GuideRequest | null;
  readonly trackingNumber: string | null;
  readonly guideNumber: string | null;
  readonly amount: Decimal | null;
  readonly availableBalance: Decimal | null;
  readonly currency: string;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly zpl: string | null;
  readonly pdfBase64: string | null;
  readonly queuedAt: Instant;
  readonly sentAt: Instant | null;
  readonly settledAt: Instant | null;
  readonly cancelledAt: Instant | null;
}

/** Whether an attempt blocks another one: under way, unresolved, or a guide that is valid. */
export function isAlive({ state, cancelledAt }: Pick<Attempt, 'state' | 'cancelledAt'>): boolean {
  return state === 'ok' ? cancelledAt === null : state !== 'failed';
}

export type Outcome = 'generated' | 'already_generated' | 'blocked' | 'failed' | 'unknown';

/** The outcome of a line of a batch; null = it is not done yet. */
export interface BatchLine {
  readonly lineId: string;
  readonly outcome: Outcome | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly attempt: Attempt | null;
}

/** The account at the carrier that makes a guide, or why there is none. */
export type GuideAccount =
  | { readonly connectionId: string }
  | { readonly obstacle: Pick<Obstacle, 'code' | 'message'> };

/** Why an attempt, or a line of a batch, has no guide. */
export interface Fault {
  readonly code: string;
  /** In Spanish. */
  readonly message: string;
}
