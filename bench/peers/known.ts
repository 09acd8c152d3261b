import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Order } from '../../src/features/orders/index.ts';
import { orderOf } from '../orders.ts';
import { run, type Served } from '../processes.ts';

/** A shop program that others keep, filled with orders and ready to be started. */
export interface KnownPeer {
  readonly name: string;
  /** Fifty orders with their items, with an API key. */
  readonly withKey: Buffer;
  /** With the token of a session, which is checked faster than a key, and no more than we show. */
  readonly fastest: Buffer;
  /** How many items each order of an answer has. */
  itemsOf(body: string): number[];
  start(): Promise<Served>;
}

/** What a peer is made from. */
export interface Ground {
  /** Empty, or with the packages of the last run; the peer's own. */
  readonly folder: string;
  /** An empty database of its own. */
  readonly url: string;
  readonly client: pg.Client;
}

/** Orders made through the peer's own interface; the rest are copies of their rows. */
const ORIGINALS = 20;
const COPIES = 1_000;

/** Their content is that of orders in the bench's own data set, of three different goods each. */
export function originals(): Order[] {
  const now = Temporal.Now.instant();
  return Array.from({ length: ORIGINALS * 3 }, (_, number) =>
    orderOf(number, ORIGINALS * COPIES, now),
  )
    .filter(({ items }) => new Set(items.map(({ sku }) => sku)).size === items.length)
    .slice(0, ORIGINALS);
}

export const ADDRESS = {
  name: 'Lucía Ramírez',
  street: 'Calle 5 de Mayo 12',
  city: 'Puebla',
  state: 'PUE',
  zip: '72000',
};

/**
 * Installs packages apart from the project's own. Their scripts do not run; neither peer needs
 * them.
 */
export async function install(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  await run('npm', ['install', '--prefix', folder, ...flags]);
}

/** The text of a call into a package of the peer's own folder; `given` is JavaScript. */
export function callOf(name: string, method: string, given: string): string {
  return `require(${JSON.stringify(name)}).${method}(${given})`;
}

/** How `pg` reaches a server, also one behind a unix socket. */
export function connectionOf(address: string) {
  const url = new URL(address);
  return {
    host: url.searchParams.get('host') ?? url.hostname,
    port: Number(url.port || 5432),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  };
}

/** Sends JSON and reads JSON; `headers` may be added to. */
export function caller(port: number, headers: Record<string, string> = {}) {
  const send = async (path: string, body: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return { headers: answer.headers, body: JSON.parse(text) };
  };
  return { headers, send };
}

/** By column, what a copy has in place of the original's value: SQL over the copy's number `n`. */
type Changes = Readonly<Record<string, string>>;

/** Copies the rows of these tables, all columns but the changed ones as they are. */
export async function copyRows(
  client: pg.Client,
  tables: Readonly<Record<string, Changes>>,
): Promise<void> {
  for (const [table, changes] of Object.entries(tables)) {
    const { rows } = await client.query<{ name: string }>(
      `select quote_ident(attname) as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [`"${table}"`],
    );
    const names = rows.map(({ name }) => name);
    const values = names.map((name) => changes[name] ?? name);
    await client.query(
      `insert into "${table}" (${names.join()})
       select ${values.join()} from "${table}", generate_series(1, ${COPIES - 1}) as n`,
    );
  }
  await client.query('vacuum (analyze)');
}
