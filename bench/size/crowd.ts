/** An installation of many organisations: orders of five states, one a day, and four accounts each. */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { findService } from '../../src/carriers/registry.ts';
import { runHousekeeping } from '../../src/exchange/jobs/housekeeping.ts';
import { streamsOf } from '../../src/exchange/streams.ts';
import { createKey } from '../../src/features/keys/index.ts';
import { changePlan } from '../../src/features/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { at, withDatabase } from '../data.ts';
import { type Life, liveDay, openRecorder, openStill } from '../life.ts';
import { copyAll, type Template } from './copies.ts';

export interface Crowd {
  readonly url: string;
  readonly masterKey: string;
  readonly organizations: number;
  readonly connections: number;
  readonly orders: number;
  /** Of organisations with a key, in no order. */
  readonly keys: readonly { readonly organizationId: string; readonly key: string }[];
}

const TEMPLATES = 10;
const KEYS = 1_000;
const UNLIMITED = 999_999_999;
/** Each organisation has one account at each. */
export const SERVICES = ['mercado_libre', 'amazon', 'shopify', 'woocommerce'] as const;

/** The installation of this size in this server: the one from last time, or a new one. */
export async function openCrowd(
  server: string,
  organizations: number,
  ordersEach: number,
  say: (line: string) => void,
): Promise<Crowd> {
  const name = `tianguis_bench_size_${organizations}_${ordersEach}`;
  const url = withDatabase(server, name);
  const kept = await keptCrowd(server, name);
  if (kept) return kept;
  await at(withDatabase(server, 'postgres'), async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
  });
  const masterKey = randomBytes(32).toString('base64');
  const templates = await recordTemplates({ DATABASE_URL: url, MASTER_KEY: masterKey }, ordersEach);
  say(`${TEMPLATES} organisations of ${ordersEach} orders recorded, day by day`);
  const each = organizations / TEMPLATES;
  return at(url, async (client) => {
    const copied: Template[] = [];
    for (const organizationId of templates)
      copied.push({ organizationId, copies: await newIds(client, each - 1) });
    await copyAll(client, copied, say);
    await connectAll(client);
    const ids = copied.flatMap(({ copies }) => copies.slice(0, KEYS / TEMPLATES));
    const keys = await makeKeys({ DATABASE_URL: url, MASTER_KEY: masterKey }, ids);
    await client.query('vacuum (analyze)');
    const crowd: Omit<Crowd, 'url'> = {
      ...{ masterKey, organizations, keys },
      connections: organizations * SERVICES.length,
      orders: organizations * ordersEach,
    };
    await client.query('create schema bench; create table bench.crowd (content jsonb)');
    await client.query('insert into bench.crowd values ($1)', [crowd]);
    return { url, ...crowd };
  });
}

async function keptCrowd(server: string, name: string): Promise<Crowd | null> {
  const exists = await at(withDatabase(server, 'postgres'), async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    return rowCount === 1;
  });
  if (!exists) return null;
  const url = withDatabase(server, name);
  return at(url, async (client) => {
    const { rows: found } = await client.query(
      "select to_regclass('bench.crowd') is not null as found",
    );
    if (!found[0].found) return null;
    const { rows } = await client.query('select content from bench.crowd');
    return { url, ...rows[0].content };
  });
}

/** One order a day until today, with the housekeeping of each day: what is over is gone. */
async function recordTemplates(
  environment: Record<string, string>,
  days: number,
): Promise<string[]> {
  const start = systemClock
    .now()
    .round({ smallestUnit: 'hour', roundingMode: 'floor' })
    .subtract({ hours: 24 * days });
  let now = start;
  const instance = await openStill(environment, () => now);
  const clock = instance.exchange.clock;
  const lives: { life: Life; recorder: Awaited<ReturnType<typeof openRecorder>> }[] = [];
  for (let number = 0; number < TEMPLATES; number++)
    lives.push({
      life: { start: start.add({ minutes: number }), ordersADay: 1, firstNumber: number * 10_000 },
      recorder: await openRecorder(instance, clock, `Tienda ${number}`),
    });
  for (let day = 0; day < days; day++) {
    for (const { life, recorder } of lives)
      await liveDay(life, day, recorder.record, (minutes) => {
        now = life.start.add({ hours: 24 * day, minutes });
      });
    await runHousekeeping(instance.exchange);
  }
  await instance.close();
  return lives.map(({ recorder }) => recorder.organizationId);
}

async function newIds(client: pg.Client, count: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    'select gen_random_uuid() as id from generate_series(1, $1)',
    [count],
  );
  return rows.map(({ id }) => id);
}

/** The rows of accounts that were read a while ago; their due times are spread over their periods. */
async function connectAll(client: pg.Client): Promise<void> {
  await client.query(
    `insert into connections (organization_id, id, service, account_id, name, credentials, state,
                              created_at, updated_at)
     select o.id, gen_random_uuid(), service, service || '-' || o.public_id, service,
            repeat('sealed', 60), 'ok', now(), now()
       from organizations o, unnest($1::text[]) as service`,
    [SERVICES],
  );
  const streams = SERVICES.flatMap((service) => {
    const connector = findService(service);
    if (!connector) throw new Error(`${service} is no service`);
    return streamsOf(connector).map(([stream, { every }]) => ({
      service,
      stream,
      seconds: every.minutes * 60,
    }));
  });
  const lists = [
    streams.map(({ service }) => service),
    streams.map(({ stream }) => stream),
    streams.map(({ seconds }) => seconds),
  ];
  const from = `from connections c
     join unnest($1::text[], $2::text[], $3::int[]) as s (service, stream, seconds) using (service)`;
  await client.query(
    `insert into streams (organization_id, connection_id, stream, watermark, first_import_done_at, last_sync_at)
     select c.organization_id, c.id, s.stream, now(), now(), now() ${from} where s.seconds > 0`,
    lists,
  );
  await client.query(
    `insert into schedules (organization_id, task, subject, every_seconds, due_at, claimed_at, planned_at)
     select c.organization_id, 'sync', c.id || ':' || s.stream, s.seconds,
            now() + random() * s.seconds * interval '1 second', now(), now() ${from}`,
    lists,
  );
}

async function makeKeys(environment: Record<string, string>, organizationIds: readonly string[]) {
  const instance = await openStill(environment);
  const { database } = instance;
  const keys: { organizationId: string; key: string }[] = [];
  for (const organizationId of organizationIds) {
    const plan = { organizationId, plan: 'experto', quota: UNLIMITED } as const;
    await database.write((handle) => changePlan(handle, systemClock, plan));
    const { key } = await database
      .within(organizationId)
      .write((scope) => createKey(scope, 'operator', { name: 'bench' }));
    keys.push({ organizationId, key });
  }
  await instance.close();
  return keys;
}
