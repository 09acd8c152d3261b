import type { Marketplace } from '../../connectors/contract.ts';
import { formatMicros, formatMillis, type Instant } from '../../platform/time.ts';

/** Every type that an endpoint may ask for. */
export const EVENT_TYPES = [
  'order.created',
  'order.updated',
  'order.status_changed',
  'shipment.created',
  'shipment.status_changed',
  'inventory.updated',
  'balance.updated',
  'payout.settled',
  'guide.generated',
  'guide.failed',
  'cfdi.issued',
  'cfdi.cancelled',
  'connection.status_changed',
  'endpoint.disabled',
  'message.exhausted',
] as const;

/** Sent to one endpoint on request, whatever types it has. */
export const TEST_TYPE = 'webhook.test';

/** Every type in the event log. */
export const LOGGED_TYPES = [...EVENT_TYPES, TEST_TYPE] as const;

export type EventType = (typeof LOGGED_TYPES)[number];

interface AccountOfEvent {
  readonly marketplace: Marketplace;
  readonly accountId: string;
}

export interface OutgoingEvent {
  readonly type: EventType;
  /** Absent = now. */
  readonly at?: Instant;
  /** The event's `data`, as JSON text. */
  readonly data: string;
  /** What it is about beside what `data` names, for the filters of endpoints. */
  readonly accounts?: readonly AccountOfEvent[];
  /**
   * Grows with each event about the same thing; receivers drop what is older than what they have.
   * Absent = its position in the event log.
   */
  readonly sequence?: string;
  /** Names of the public fields that changed. */
  readonly changed?: readonly string[];
  readonly previousStatus?: string;
}

/** An event as it was stored. */
interface StoredEvent {
  readonly organizationId: string;
  readonly id: string;
  readonly type: string;
  readonly at: Instant;
  /** Its position in the event log; null = it is older than the log. */
  readonly loggedAt: Instant | null;
  readonly data: string;
  /** The fields beside `data`, as a JSON object. */
  readonly envelope: string;
}

/** Larger bodies carry only what it takes to ask for the rest. */
const MOST_BYTES = 20_000;
const THIN_FIELDS = ['id', 'marketplace', 'account_id', 'last_updated'] as const;

export function isEventType(text: string): text is (typeof EVENT_TYPES)[number] {
  return (EVENT_TYPES as readonly string[]).includes(text);
}

/** The fields beside `data`, as a JSON object. */
export function envelopeOf({ sequence, changed, previousStatus }: OutgoingEvent): string {
  return JSON.stringify({
    ...(sequence !== undefined && { sequence }),
    ...(changed !== undefined && { changed }),
    ...(previousStatus !== undefined && { previous_status: previousStatus }),
  });
}

/** The body that is sent, the same at each try: JSON of at most 20 KB. */
export function bodyOf(event: StoredEvent): string {
  const head = JSON.stringify({
    id: event.id,
    type: event.type,
    api_version: 'v1',
    organization_id: event.organizationId,
    timestamp: formatMillis(event.at),
  });
  const beside = `${head.slice(0, -1)}${besideData(event)}`;
  const whole = `${beside},"data":${event.data}}`;
  if (Buffer.byteLength(whole) <= MOST_BYTES) return whole;
  return `${beside},"truncated":true,"data":${thin(event.data)}}`;
}

/** Begins with a comma where there is anything. */
function besideData({ envelope, loggedAt }: StoredEvent): string {
  const own = envelope === '{}' ? '' : `,${envelope.slice(1, -1)}`;
  if (loggedAt === null || own.startsWith(',"sequence":')) return own;
  return `,"sequence":"${formatMicros(loggedAt)}"${own}`;
}

/** Only texts are kept, so that no number is read. */
function thin(data: string): string {
  const whole = JSON.parse(data) as Record<string, unknown>;
  const kept = THIN_FIELDS.filter((name) => typeof whole[name] === 'string');
  return JSON.stringify(Object.fromEntries(kept.map((name) => [name, whole[name]])));
}
