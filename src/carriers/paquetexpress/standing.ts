import type { Instant } from '../../platform/time.ts';
import type { ReportedEvent, ShipmentCategory, Standing } from '../contract.ts';
import { categoryOf, isFinalCode, rankOf } from './codes.ts';

/** In the carrier's hands. */
const COLLECTED: readonly string[] = ['HCM', 'HCA', 'TRN', 'WHU'];
/** The way back to the sender begins. */
const SENT_BACK = 'RGR';
/** On the way back these are transport and delivery to the sender. */
const FORWARD: readonly (ShipmentCategory | null)[] = ['EN_TRANSITO', 'ENTREGADO'];
/** A clock that is so far ahead is wrong; then the time of receipt counts. */
const AHEAD_MS = 24 * 3_600_000;

/** The state of a parcel by all its events together, in order of arrival. */
export function standingOf(inOrder: readonly ReportedEvent[]): Standing | null {
  const current = currentOf(inOrder);
  if (!current) return null;
  const sentBackAt = sentBackIn(inOrder);
  const category = categoryAt(current, sentBackAt);
  const known = currentOf(inOrder.filter(({ code }) => categoryOf(code) !== null));
  const taken = inOrder.filter(({ code }) => COLLECTED.includes(code)).map(timeOf);
  const standsAt = known && categoryAt(known, sentBackAt);
  return {
    carrierStatus: current.code,
    category,
    formerCategory: standsAt,
    isFinal: isFinalCode(current.code),
    isDamaged: current.code === 'CDG',
    pickedUpAt: taken.toSorted(Temporal.Instant.compare)[0] ?? null,
    deliveredAt: known && standsAt === 'ENTREGADO' ? known.occurredAt : null,
    changedAt: timeOf(current),
  };
}

/** When it was first sent back to its sender; infinity = never. */
function sentBackIn(inOrder: readonly ReportedEvent[]): number {
  const times = inOrder.filter(({ code }) => code === SENT_BACK).map(timeOf);
  return Math.min(...times.map(({ epochMilliseconds }) => epochMilliseconds));
}

function categoryAt(event: ReportedEvent, sentBackAt: number): ShipmentCategory | null {
  const category = categoryOf(event.code);
  const isWayBack = timeOf(event).epochMilliseconds >= sentBackAt;
  return isWayBack && FORWARD.includes(category) ? 'DEVOLUCION' : category;
}

/**
 * The latest event; of one instant the one further along where both have a rank, else the one that
 * arrived last.
 */
export function currentOf<Event extends ReportedEvent>(inOrder: readonly Event[]): Event | null {
  let best: Event | null = null;
  let bestAt = Number.NEGATIVE_INFINITY;
  for (const event of inOrder) {
    const at = timeOf(event).epochMilliseconds;
    if (best && (at < bestAt || (at === bestAt && isLessFar(event, best)))) continue;
    best = event;
    bestAt = at;
  }
  return best;
}

function isLessFar(a: ReportedEvent, b: ReportedEvent): boolean {
  const [rankA, rankB] = [rankOf(a.code), rankOf(b.code)];
  return rankA !== null && rankB !== null && rankA < rankB;
}

/** The carrier's times are whole milliseconds. */
function timeOf({ occurredAt, seenAt }: ReportedEvent): Instant {
  return occurredAt.epochMilliseconds > seenAt.epochMilliseconds + AHEAD_MS ? seenAt : occurredAt;
}
