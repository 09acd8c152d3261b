import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Reported } from './stand.ts';

export type ApiOrder = Reported & { readonly last_updated: string; readonly marketplace: string };

/**
 * What the API must say of an order, and what some of its fields may read instead (`Stand.late`).
 */
export type Allowed = readonly [Reported, ...Partial<Reported>[]];

/** Asserts that the API says of these orders what it must, and has no others. */
export function assertReported(
  orders: readonly ApiOrder[],
  must: readonly Allowed[],
  message = 'the API says what it must',
): void {
  const had = new Map(orders.map((order) => [order.id, order]));
  assert.deepEqual(
    differences(had, new Map(must.map((allowed) => [allowed[0].id, allowed]))),
    [],
    message,
  );
  assert.equal(orders.length, must.length, 'each order once');
}

/** The names of the fields in which the API says of an order what it must not. */
export function wrongFields(is: Reported, allowed: Allowed): (keyof Reported)[] {
  return (Object.keys(allowed[0]) as (keyof Reported)[]).filter(
    (field) =>
      !allowed.some(
        (reported) => field in reported && isDeepStrictEqual(is[field], reported[field]),
      ),
  );
}

/** Order by order and field by field, in words. */
function differences(
  had: ReadonlyMap<string, Reported>,
  must: ReadonlyMap<string, Allowed>,
): string[] {
  return [...new Set([...had.keys(), ...must.keys()])].sort().flatMap((id) => {
    const [is, allowed] = [had.get(id), must.get(id)];
    if (!is || !allowed) return [`${id} is ${is ? 'not in the account' : 'missing'}`];
    const [should] = allowed;
    return wrongFields(is, allowed).map(
      (field) =>
        `${id}.${field} is ${JSON.stringify(is[field])}, not ${JSON.stringify(should[field])}`,
    );
  });
}
