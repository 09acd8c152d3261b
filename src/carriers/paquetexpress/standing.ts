import type { Instant } from '../../platform/time.ts';
import type { Standing, ToldEvent } from '../contract.ts';
import { categoryOf, isFinalCode, rankOf } from './codes.ts';

/** In the carrier's hands. */
const COLLECTED: readonly string[] = ['HCM', 'HCA', 'TRN', 'WHU'];
/** A clock that is so far ahead is wrong; then it counts when we heard of it. */
const AHEAD = { hours: 24 };

/** What all events of a parcel, in the order in which they came, say of it together. */
export function standingOf(inOrder: readonly ToldEvent[]): Standing | null {
  const current = currentOf(inOrder);
  if (!current) return null;
  const category = categoryOf(current.code);
  const known = currentOf(inOrder.filter(({ code }) => categoryOf(code) !== null));
  const taken = inOrder.filter(({ code }) => COLLECTED.includes(code)).map(timeOf);
  const standsAt = known && categoryOf(known.code);
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

/** The latest event; of one instant the one further along where both have a rank, else the one that came last. */
export function currentOf<Event extends ToldEvent>(inOrder: readonly Event[]): Event | null {
  return inOrder.reduce<Event | null>((best, next) => (best && isBefore(next, best) ? best : next), null);
}

function isBefore(a: ToldEvent, b: ToldEvent): boolean {
  const order = Temporal.Instant.compare(timeOf(a), timeOf(b));
  if (order !== 0) return order < 0;
  const [rankA, rankB] = [rankOf(a.code), rankOf(b.code)];
  return rankA !== null && rankB !== null && rankA < rankB;
}

function timeOf({ occurredAt, seenAt }: ToldEvent): Instant {
  return Temporal.Instant.compare(occurredAt, seenAt.add(AHEAD)) > 0 ? seenAt : occurredAt;
}
