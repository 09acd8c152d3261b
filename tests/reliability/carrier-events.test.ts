import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPaquetexpress } from '../../simulators/paquetexpress/index.ts';
import { readShipment } from '../../src/carriers/paquetexpress/wire.ts';
import { bindingOfSecret, judge, openSecretCheck } from '../../src/features/connections/secrets.ts';
import { recordTraced } from '../../src/features/shipments/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { seal } from '../../src/platform/seal.ts';
import { environmentOf } from '../support/app.ts';
import { freshDatabase } from '../support/server.ts';
import { type Caller, openCaller } from './support/api.ts';
import { runCommand } from './support/commands.ts';
import { diceOf } from './support/dice.ts';
import { makeFolder, openClient, openHandle } from './support/ground.ts';
import {
  type Ending,
  eventually,
  lastFirst,
  launchInstance,
  NO_REDIS,
  type RunningInstance,
  startInstance,
} from './support/processes.ts';
import { reportFigure, sized } from './support/profile.ts';
import { addTenant } from './support/tenants.ts';

// A webhook of Paquetexpress: once acknowledged it is on disk, and it counts once, whichever
// process is killed in between.

const ROUNDS = sized({ small: 4, quick: 40, long: 200 });
const SENDERS = 24;
/** About as many as the senders get through, so that every kill meets new events. */
const PARCELS_A_ROUND = 800;
const BEFORE_TRYING_AGAIN_MS = 20;
const SAMPLES = sized({ small: 4_000, quick: 40_000, long: 40_000 });
/** Beyond this the two kinds of wrong secrets are distinguished by time. */
const MOST_T = 4.5;
const SETTLED_WITHIN_MS = 120_000;
const NOW = Temporal.Instant.from('2026-11-16T18:00:00Z');
const HAPPENED_AT = Date.parse('2026-11-15T20:00:00Z');

test(`the process is killed ${ROUNDS} times under ${SENDERS} senders that come again: no acknowledged event is lost, none counts twice`, {
  timeout: 300_000 + ROUNDS * 60_000,
}, async (t) => {
  const end = lastFirst(t);
  const { env, client, organizationId, address, trackings } = await setStage(
    end,
    ROUNDS * PARCELS_A_ROUND,
  );
  let instance: RunningInstance = await startInstance(end, env);
  const sending = openSenders(end, trackings, (event) => [
    `${instance.url}${address}`,
    JSON.stringify(event),
  ]);

  const dice = diceOf(11);
  let kills = 0;
  for (; kills < ROUNDS; kills++) {
    await sleep(300 + dice.below(260));
    await instance.end('SIGKILL');
    instance = await startInstance(end, env);
  }
  const { acknowledged, sent, again } = await sending.finish();
  const isSettled = await eventually(
    async () => (await countOf(client, 'select from shipments_to_settle')) === 0,
    SETTLED_WITHIN_MS,
    50,
  );

  assert.ok(isSettled, 'events are left of which nothing followed');
  const ids = async (query: string) =>
    (await client.query<{ id: string }>(query)).rows.map(({ id }) => id);
  const stored = new Set(await ids('select tracking_number as id from shipment_events'));
  const lost = acknowledged.filter((id) => !stored.has(id));
  assert.deepEqual(lost, [], 'acknowledged events are lost');
  assert.equal(acknowledged.length, trackings.length, 'not every event got through');
  const twice = await ids(
    'select tracking_number as id from carrier_receipts where not duplicate group by 1 having count(*) <> 1',
  );
  assert.deepEqual(twice, [], 'an event was taken for new twice');
  const unmoved = await ids("select id from shipments where category <> 'ENTREGADO'");
  assert.deepEqual(unmoved, [], 'what follows from an event is missing');
  const reported = await ids(
    "select data::json ->> 'id' as id from events where type = 'shipment.status_changed'",
  );
  assert.equal(new Set(reported).size, trackings.length, 'customers were not notified');
  assert.equal(reported.length, trackings.length, 'customers were notified twice');
  const linked = await countOf(
    client,
    `select from shipment_events where organization_id = '${organizationId}' and shipment_id is not null`,
  );
  assert.equal(linked, trackings.length);
  reportFigure(
    t,
    `R1 carrier events: ${kills} × SIGKILL under ${SENDERS} senders: ${sent} sent, ${acknowledged.length} events acknowledged, ${again} of them once more, 0 lost, 0 counted twice`,
  );
});

test('the secret of an address is in no line of the log, whatever becomes of the webhook', async (t) => {
  const end = lastFirst(t);
  const { env, client, address } = await setStage(end, 0);
  const lines: string[] = [];
  let url = '';
  const running = launchInstance(end, { ...env, LOG_LEVEL: 'debug' }, (line) => {
    lines.push(line);
    if (line.includes('"msg":"ready"')) url = JSON.parse(line).url;
    return true;
  });
  await eventually(() => url !== '' || running.hasEnded(), 60_000);
  const secret = new URLSearchParams(address.split('?')[1]).get('secret') ?? '';
  const caller = openCaller(url, null);
  end.after(caller.close);
  const event = { rastreo: '1', eventoId: 'TRN', fechahora: 1_794_690_649_000 };

  const statuses = [
    await caller.post(address, JSON.stringify(event)),
    await caller.post(address, '{'),
    await caller.post(address, 'x'.repeat(300_000)),
    await caller.get(address),
    await caller.post(address.replace('?', '/mas?'), '{}'),
    await caller.post(address.replace('secret=', 'secret=x'), '{}'),
  ].map(({ status }) => status);
  await client.query('alter table carrier_receipts rename to elsewhere');
  statuses.push((await caller.post(address, JSON.stringify({ ...event, eventoId: 'EAD' }))).status);
  // A load balancer's checks leave no lines.
  assert.equal((await caller.get('/readyz')).status, 200);
  await running.end('SIGTERM');

  assert.deepEqual(statuses, [200, 400, 413, 405, 404, 401, 500]);
  assert.equal(lines.filter((line) => line.includes('"msg":"request"')).length, statuses.length);
  assert.ok(lines.some((line) => line.includes('event not taken')));
  assert.deepEqual(
    lines.filter((line) => line.includes(secret)),
    [],
  );
});

test('the address and the account by the operator’s commands, in two steps', {}, async (t) => {
  const end = lastFirst(t);
  const env = { ...environmentOf(await freshDatabase()), PUBLIC_URL: 'https://tianguis.example' };
  const carrier = await startPaquetexpress();
  end.after(carrier.close);
  const { organization_id: id } = await runCommand<{ organization_id: string }>(env, [
    'create-organization',
    ...['--name', 'Tienda', '--plan', 'intermedio'],
  ]);
  const show = (...more: string[]) =>
    runCommand<{ webhook_url: string }>(env, [
      'carrier-webhook',
      '--organization',
      id,
      ...more,
    ]).then(({ webhook_url }) => webhook_url);
  const file = join(makeFolder(end), 'credentials.json');
  writeFileSync(file, JSON.stringify(carrier.credentials()));

  const first = await show();
  const connected = await runCommand<{ connection_id: string; webhook_url: string }>(env, [
    'connect',
    ...['--organization', id, '--marketplace', 'paquetexpress'],
    ...['--credentials', file, '--base-url', carrier.url],
  ]);
  const rotated = await show('--rotate');

  assert.match(
    first,
    /^https:\/\/tianguis\.example\/webhooks\/paquetexpress\/org_\w+\?secret=[\w-]{43}$/,
  );
  assert.match(connected.connection_id, /^[0-9a-f-]{36}$/);
  assert.equal(connected.webhook_url, first);
  assert.notEqual(rotated, first);
  assert.equal(await show(), rotated);
});

test('the time of a wrong secret reveals neither where it differs nor whether the organisation exists', {}, async (t) => {
  const keyring = { current: randomBytes(32), previous: null };
  const secret = randomBytes(32).toString('base64url');
  const organization_id = newId();
  const rows = [secret, randomBytes(32).toString('base64url')].map((text) => {
    const id = newId();
    const box = seal(keyring, bindingOfSecret(organization_id, id), text);
    return { organization_id, id, secret: box, expires_at: null };
  });
  const early = `${secret[0] === 'A' ? 'B' : 'A'}${secret.slice(1)}`;
  const late = `${secret.slice(0, -1)}${secret.at(-1) === 'A' ? 'B' : 'A'}`;
  const check = openSecretCheck(keyring);
  // The look-up is one and the same statement; here it takes no time.
  const ask = (found: typeof rows, given: string) => () =>
    check(
      { raw: async () => found } as never,
      { publicId: 'p', service: 'paquetexpress', secret: given },
      NOW,
    );
  const cases = [
    { what: 'where it differs', one: ask(rows, early), other: ask(rows, late) },
    { what: 'whether the organisation exists', one: ask(rows, early), other: ask([], early) },
    {
      what: 'whether it has one secret or two',
      one: ask(rows, early),
      other: ask(rows.slice(1), early),
    },
  ];

  const found: { what: string; t: number }[] = [];
  for (const { what, one, other } of cases)
    found.push({ what, t: Math.abs(welch(...(await timesOf(one, other, SAMPLES)))) });

  for (const { what, t: value } of found)
    assert.ok(value < MOST_T, `time reveals ${what}: |t| = ${value}`);
  const figures = found.map(({ what, t: value }) => `${what} |t| = ${value.toFixed(2)}`);
  reportFigure(t, `S5 webhook secret: ${figures.join(', ')} over ${SAMPLES} samples`);
});

test('a secret is right or wrong as a whole, and every box is opened', () => {
  const keyring = { current: randomBytes(32), previous: null };
  const opened: string[] = [];
  const boxed = (id: string, text: string) => ({
    organization_id: 'o',
    id,
    expires_at: null,
    get secret() {
      opened.push(id);
      return seal(keyring, bindingOfSecret('o', id), text);
    },
  });
  const both = [boxed('1', 'nuevo'), boxed('2', 'anterior')];

  assert.equal(judge(keyring, both, 'nuevo')?.organizationId, 'o');
  assert.deepEqual(opened, ['1', '2'], 'the second box is opened though the first was right');
  assert.equal(judge(keyring, both, 'anterior')?.organizationId, 'o');
  assert.equal(judge(keyring, both, 'nuev'), null);
});

interface Delivered {
  readonly rastreo: string;
  readonly eventoId: 'HDC';
  readonly fechahora: number;
}

/**
 * Each parcel is delivered once; its event is sent until it is taken, and some of them once more.
 */
function openSenders(
  end: Ending,
  trackings: readonly string[],
  requestOf: (event: Delivered) => [string, string],
) {
  const acknowledged: string[] = [];
  const waiting = [...trackings];
  const counts = { sent: 0, again: 0 };
  let isOver = false;
  const send = async (caller: Caller, event: Delivered) => {
    counts.sent++;
    const answer = await caller.post(...requestOf(event)).catch(() => null);
    return answer?.status === 200 ? JSON.parse(answer.text) : null;
  };
  const work = async (number: number) => {
    const caller = openCaller('http://127.0.0.1', null);
    end.after(caller.close);
    const dice = diceOf(100 + number);
    const sendAgain = async (event: Delivered) => {
      const answer = await send(caller, event);
      if (!answer) return sleep(BEFORE_TRYING_AGAIN_MS);
      counts.again++;
      assert.equal(answer.duplicate, true);
    };
    for (let rastreo = waiting.pop(); rastreo !== undefined; rastreo = waiting.pop()) {
      const event: Delivered = { rastreo, eventoId: 'HDC', fechahora: HAPPENED_AT };
      // As the carrier does.
      while (!(await send(caller, event))) await sleep(BEFORE_TRYING_AGAIN_MS);
      acknowledged.push(rastreo);
      if (dice.chance(0.2)) await sendAgain(event);
    }
    // Writers that finish early keep the instance busy until the last kill.
    for (let at = number; !isOver; at += SENDERS) {
      const rastreo = acknowledged[at % acknowledged.length] as string;
      await sendAgain({ rastreo, eventoId: 'HDC', fechahora: HAPPENED_AT });
    }
  };
  const all = Promise.all(Array.from({ length: SENDERS }, (_, number) => work(number)));
  return {
    async finish() {
      isOver = true;
      await all;
      return { acknowledged, ...counts };
    },
  };
}

interface Stage {
  readonly env: Readonly<Record<string, string>>;
  readonly client: Awaited<ReturnType<typeof openClient>>;
  readonly organizationId: string;
  /** Path and query. */
  readonly address: string;
  readonly trackings: readonly string[];
}

/** An organisation with an address and so many parcels on their way. */
async function setStage(end: Ending, parcels: number): Promise<Stage> {
  const env: Record<string, string> = {
    ...environmentOf(await freshDatabase()),
    REDIS_URL: NO_REDIS,
  };
  const databaseUrl = env.DATABASE_URL as string;
  const client = await openClient(end, databaseUrl);
  await runCommand(env, ['migrate']);
  const database = openHandle(end, databaseUrl);
  const { id: organizationId } = await addTenant(database);
  const { webhook_url } = await runCommand<{ webhook_url: string }>(env, [
    'carrier-webhook',
    ...['--organization', organizationId],
  ]);
  const trackings = Array.from(
    { length: parcels },
    (_, number) => `8220${String(number).padStart(9, '0')}`,
  );
  const source = {
    carrier: 'paquetexpress',
    accountId: 'TIENDA01',
    connectionId: newId(),
  } as const;
  const fetchedAt = Temporal.Instant.fromEpochMilliseconds(HAPPENED_AT - 60_000);
  for (let at = 0; at < trackings.length; at += 500) {
    const batch = trackings.slice(at, at + 500);
    const shipments = batch.map((rastreo) => readShipment({ rastreo }, { fetchedAt, history: [] }));
    await database
      .within(organizationId)
      .write((scope) => recordTraced(scope, source, shipments, { announce: false, listeners: [] }));
  }
  const { pathname, search } = new URL(webhook_url);
  return { env, client, organizationId, address: `${pathname}${search}`, trackings };
}

async function countOf(client: Stage['client'], query: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from (${query}) q`,
  );
  return rows[0]?.count ?? 0;
}

type Work = () => Promise<unknown>;

/** Nanoseconds of both, one after the other in an order that no drift can follow. */
async function timesOf(one: Work, other: Work, samples: number): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  const measure = async (which: 0 | 1) => {
    const startedAt = process.hrtime.bigint();
    await (which === 0 ? one : other)();
    times[which].push(Number(process.hrtime.bigint() - startedAt));
  };
  for (let warm = 0; warm < 500; warm++) for (const work of [one, other]) await work();
  const dice = diceOf(3);
  for (let sample = 0; sample < samples; sample++) {
    const first = dice.chance(0.5) ? 0 : 1;
    await measure(first);
    await measure(first === 0 ? 1 : 0);
  }
  return times;
}

/**
 * Welch's t, over what lies below the common 90th percentile: pauses of the machine carry no
 * information.
 */
function welch(a: readonly number[], b: readonly number[]): number {
  const limit = [...a, ...b].sort((x, y) => x - y)[
    Math.floor((a.length + b.length) * 0.9)
  ] as number;
  const [one, other] = [a, b].map((values) => momentsOf(values.filter((value) => value <= limit)));
  if (!one || !other) return Number.NaN;
  return (
    (one.mean - other.mean) / Math.sqrt(one.variance / one.count + other.variance / other.count)
  );
}

function momentsOf(values: readonly number[]) {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  return { count, mean, variance };
}
