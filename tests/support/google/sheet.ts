import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { createKey } from '../../../src/features/keys/index.ts';
import { changePlan } from '../../../src/features/organizations/index.ts';
import type { Plan } from '../../../src/features/plans/index.ts';
import { openShop, type Shop } from '../../spec/support/shop.ts';
import { anOrder, type TestApp } from '../app.ts';
import { type Google, openGoogle } from './google.ts';
import type { Cell } from './workbook.ts';

/** The function behind the first entry of the menu. */
export const LOAD = 'actualizarOrdenes';
export const PLACEHOLDER = 'https://tianguis.example';

/** The template as the page gives it to people. */
export function scriptFor(url: string): string {
  const template = new URL('../../../sheets/tianguis.gs', import.meta.url);
  return readFileSync(template, 'utf8').replace(PLACEHOLDER, url);
}

/** An organisation of the test's own, and an empty sheet with the template. */
export async function openSheet(
  t: Pick<TestContext, 'after'>,
  instance: TestApp,
  options: { quota?: number; beforeFetch?: (url: string, shop: Shop) => unknown } = {},
): Promise<{ shop: Shop; google: Google }> {
  const shop = await openShop(instance);
  if (options.quota) await setPlan(instance, shop, 'experto', options.quota);
  const google = await openGoogle(t, {
    script: scriptFor(instance.url),
    clock: instance.clock,
    beforeFetch: (url) => options.beforeFetch?.(url, shop),
  });
  return { shop, google };
}

export async function setPlan(
  { app, clock }: TestApp,
  { organization }: Shop,
  plan: Plan,
  quota: number | null = null,
): Promise<void> {
  const change = { organizationId: organization.id, plan, quota };
  await app.database.write((handle) => changePlan(handle, clock, change));
}

/** Another key of the organisation. */
export async function keyFor({ app }: TestApp, { organization }: Shop): Promise<string> {
  const { key } = await app.database
    .within(organization.id)
    .write((scope) => createKey(scope, 'operator', { name: 'otra' }));
  return key;
}

/**
 * Orders 1 to `count`, each with so many pieces; the first one has two products. Recorded again
 * with other pieces, all of them have changed.
 */
export async function recordMany(shop: Shop, count: number, pieces = 1): Promise<void> {
  const changedAt = Temporal.Instant.from('2026-11-15T12:00:00Z').add({ seconds: pieces });
  const line = { ...aLine(), quantity: pieces };
  const orders = Array.from({ length: count }, (_, at) =>
    anOrder({
      id: String(at + 1),
      changedAt,
      items: at === 0 ? [line, { ...line, quantity: 1 }] : [line],
    }),
  );
  for (let from = 0; from < count; from += 500)
    await shop.record(...orders.slice(from, from + 500));
}

export function aLine(given: { title?: string; sku?: string } = {}) {
  const [line] = anOrder().items;
  if (!line) throw new Error('the sample order has no line');
  return { ...line, ...given };
}

/** The rows below the header, by their titles. */
export async function rowsOf(
  google: Google,
  name: string,
): Promise<Record<string, Cell['value']>[]> {
  const [header = [], ...rows] = (await google.tab(name)).rows;
  return rows
    .filter((row) => row.some(({ kind }) => kind !== 'blank'))
    .map((row) => Object.fromEntries(row.map(({ value }, at) => [header[at]?.value, value])));
}

/** All that both tabs hold, in an order of its own. */
export async function contentOf(google: Google): Promise<string[]> {
  const tabs = await Promise.all(['Órdenes', 'Artículos'].map((name) => google.tab(name)));
  return tabs
    .flatMap(({ rows }) => rows)
    .filter((row) => row.some(({ kind }) => kind !== 'blank'))
    .map((row) =>
      row
        .map(({ value }) => value)
        .join('|')
        .replace(/\|+$/, ''),
    )
    .toSorted();
}
