import type { WriteScope } from '../../platform/db/database.ts';
import { annotated, type Candidate } from './candidate.ts';
import type { Annotation } from './known.ts';
import { byKey, lockOrders } from './lock-orders.ts';
import { type OrderIdentity, type OrderListener, orderKey } from './order.ts';
import { setAnnotations } from './store-annotations.ts';
import { type StoredVersion, versions } from './store-versions.ts';
import { writeOrders } from './write-orders.ts';

interface AnnotatedBy {
  readonly order: OrderIdentity;
  /** Those that are left out stay as they are; null = removed. */
  readonly annotation: Partial<Annotation>;
}

/** A stored order and its content with another annotation. */
interface Plan {
  readonly stored: StoredVersion;
  readonly candidate: Candidate;
}

/**
 * Adds data that others than the marketplace supply to orders, and keeps them through every later
 * fetch. An order whose content changes by it moves on the delta clock as for any change; orders
 * that are not stored are left out.
 * @returns how many orders look different now
 */
export async function annotate(
  scope: WriteScope,
  given: readonly AnnotatedBy[],
  listeners: readonly OrderListener[],
): Promise<number> {
  const orders = given.map(({ order }) => order);
  // Most annotations are unchanged, and then the clock is not locked.
  const seen = await versions(scope, orders, { lock: false, detail: true });
  if (plansOf(byKey(seen), given).length === 0) return 0;
  const { first, stored } = await lockOrders(scope, orders);
  const plans = Map.groupBy(plansOf(stored, given), saysTheSame);
  await setAnnotations(
    scope,
    (plans.get(true) ?? []).map(({ stored: row, candidate: { annotation } }) => ({
      ...row,
      annotation,
    })),
  );
  return (await writeOrders(scope, first, plans.get(false) ?? [], listeners)).length;
}

/** Orders whose annotation changes. */
function plansOf(
  stored: ReadonlyMap<string, StoredVersion>,
  given: readonly AnnotatedBy[],
): Plan[] {
  const wanted = new Map<string, Partial<Annotation>>();
  for (const { order, annotation } of given)
    wanted.set(orderKey(order), { ...wanted.get(orderKey(order)), ...annotation });
  return [...wanted].flatMap(([key, annotation]) => {
    const row = stored.get(key);
    if (!row) return [];
    const candidate = annotated(row, annotation);
    return candidate.annotation === row.annotation ? [] : [{ stored: row, candidate }];
  });
}

function saysTheSame({ stored, candidate }: Plan): boolean {
  return candidate.fingerprint === stored.fingerprint;
}
