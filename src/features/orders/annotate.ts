import type { WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { type Annotation, ownFields, readKnown, withKnown, writeKnown } from './known.ts';
import {
  fingerprintOf,
  type OrderChange,
  type OrderIdentity,
  type OrderListener,
  type PublicOrder,
  tell,
} from './order.ts';
import { readDetail, renderDetail, renderList } from './public/render.ts';
import * as store from './store.ts';

interface AnnotatedBy {
  readonly order: OrderIdentity;
  /** Null = nothing any more. */
  readonly annotation: Annotation | null;
}

/** A stored order and what it would say. */
interface Plan {
  readonly stored: store.StoredVersion;
  readonly before: PublicOrder;
  readonly after: PublicOrder;
  readonly annotation: string | null;
  readonly detailJson: string;
  readonly fingerprint: string;
}

interface Change extends OrderChange {
  readonly content: store.RewrittenOrder;
}

/**
 * Adds to orders what others than their marketplace know, and keeps it through every later fetch.
 * An order that says something else by it moves on the delta clock as for any change; orders that
 * are not there are left out.
 * @returns how many orders look different now
 */
export async function annotate(
  scope: WriteScope,
  given: readonly AnnotatedBy[],
  listeners: readonly OrderListener[],
): Promise<number> {
  const wanted = new Map(given.map((one) => [keyOf(one.order), one]));
  const suspects = await planAll(scope, wanted, { lock: false });
  if (suspects.length === 0) return 0;
  const first = await store.takeClock(scope, suspects.length);
  const plans = await planAll(scope, wanted, { lock: true });
  const changes = plans
    .filter(({ stored, fingerprint }) => fingerprint !== stored.fingerprint)
    .map((plan, index) => changeOf(plan, first.add({ microseconds: index })));
  const contents = new Map(changes.map((change) => [keyOf(change.after), change.content]));
  await store.annotate(
    scope,
    plans.map(({ stored, annotation }) => ({
      ...stored,
      annotation,
      content: contents.get(keyOfRow(stored)) ?? null,
    })),
  );
  if (changes.length > 0) await tell(listeners, scope, changes);
  return changes.length;
}

/** Orders for which something else is known now; most often none, and then no clock is taken. */
async function planAll(
  scope: WriteScope,
  wanted: ReadonlyMap<string, AnnotatedBy>,
  { lock }: { lock: boolean },
): Promise<Plan[]> {
  const orders = [...wanted.values()].map(({ order }) => order);
  const rows = await store.versions(scope, orders, { lock, detail: true });
  return rows
    .map((stored) => planOf(stored, wanted.get(keyOfRow(stored))?.annotation ?? null))
    .filter(({ stored, annotation }) => annotation !== stored.annotation);
}

function planOf(stored: store.StoredVersion, annotation: Annotation | null): Plan {
  const before = readDetail(stored.detail_json as string);
  const own = ownFields(before, stored.annotation);
  const known = { ...readKnown(stored.annotation), shipping: annotation?.shipping ?? null };
  const after = withKnown({ ...before, ...own }, known);
  const detailJson = renderDetail(after);
  const text = writeKnown(known, own);
  return {
    stored,
    before,
    after,
    annotation: text,
    detailJson,
    fingerprint: fingerprintOf(detailJson),
  };
}

function changeOf(
  { stored, before, after, detailJson, fingerprint }: Plan,
  lastUpdated: Instant,
): Change {
  const json = renderList(after, lastUpdated);
  const order = {
    ...after,
    changedAt: stored.changed_at,
    fetchedAt: stored.fetched_at,
    raw: null,
  };
  const content = {
    id: stored.id,
    last_updated: lastUpdated.toString(),
    fingerprint,
    list_json: json,
    detail_json: detailJson,
  };
  return { before, after: order, lastUpdated, json, content };
}

function keyOf({ marketplace, accountId, id }: OrderIdentity): string {
  return `${marketplace}\n${accountId}\n${id}`;
}

function keyOfRow(row: { marketplace: string; account_id: string; id: string }): string {
  return `${row.marketplace}\n${row.account_id}\n${row.id}`;
}
