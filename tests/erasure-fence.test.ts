import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOOLS } from '../src/entrances/mcp/all-tools.ts';
import { deliverEvents } from '../src/exchange/deliver/deliver-events.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { rerenderDue } from '../src/exchange/sync/rerender.ts';
import { close, ERASED, erase, quiet } from '../src/features/erasure/index.ts';
import { INSTANCE, planMissing } from '../src/features/schedules/index.ts';
import { noteAct } from '../src/features/trail/index.ts';
import { createEndpoint, sendTest } from '../src/features/webhooks-out/index.ts';
import { LOCK_KINDS } from '../src/platform/db/lock-kinds.ts';
import { newId } from '../src/platform/ids.ts';
import { fill } from './security/support/filled.ts';
import { soon } from './spec/support/soon.ts';
import { anAgent } from './support/agents.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { openEndpoint } from './support/endpoint.ts';
import { query } from './support/market.ts';
import { callTool } from './support/mcp.ts';
import { openMailingInstance, openTeam, withSecondFactor } from './support/people.ts';
import { freshDatabase, someoneWaits } from './support/server.ts';

// No row of an organisation is written after its erasure: whatever writes one has entered the
// organisation, or holds its row by a foreign key or a lock, and the erasure waits for both.

/** Keeps what is written by a transaction that no erasure waits for. */
const WATCH = [
  'create table unfenced (table_name text, statement text)',
  `create function watch_fence() returns trigger language plpgsql as $$
   begin
     if not exists (select from pg_locks
         where locktype = 'advisory' and pid = pg_backend_pid() and granted
           and classid = ${LOCK_KINDS.organization}
           and objid = (hashtext(new.organization_id::text)::int8 & 4294967295)::oid)
        and new.organization_id <> '${INSTANCE}' then
       insert into unfenced values (tg_table_name, current_query());
     end if;
     return new;
   end $$`,
];
/** These write for many organisations at once; the tests below try them. */
const OF_MANY = ['rerenderings', 'schedules'];

test('what is written by all entrances and jobs has entered its organisation', {
  tags: ['slow'],
}, async (t) => {
  const { instance, folder } = await openMailingInstance(t);
  const tables = await withoutForeignKey(instance);
  for (const statement of [...WATCH, ...tables.map(watching)]) await query(instance, statement);

  const team = await openTeam(instance, folder);
  await withSecondFactor(team.owner.visitor);
  const filled = await fill(instance, team, 'VALLA');
  const agent = await anAgent(instance, { organizationId: filled.organizacion });
  for (const { name } of TOOLS) await callTool(instance, agent, name, {});
  for (const path of ['/v1/orders', '/v1/me']) await instance.api(path, {}, { key: filled.key });
  instance.clock.advance({ minutes: 2 });
  await instance.app.worker?.tick();
  await runHousekeeping(instance.app.exchange);

  const written: string[] = [];
  for (const table of tables)
    if ((await query(instance, `select from ${table} limit 1`)).length > 0) written.push(table);
  assert.ok(written.length > 30, `rows of ${written.length} tables were watched`);
  const unfenced = await query(instance, 'select distinct table_name, statement from unfenced');
  assert.deepEqual(
    unfenced.filter(({ table_name }) => !OF_MANY.includes(String(table_name))),
    [],
  );
});

test('an act from the transaction of a person is not written for an organisation that is erased', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const { database } = own.app;
  const { id } = own.organization;
  await erased(own);

  await assert.rejects(
    database.write((handle) => noteAct(handle.within(id), 'operator', 'plan_changed')),
    /La organización ya no existe/,
  );

  assert.deepEqual(await query(own, 'select from acts where organization_id = $1', [id]), []);
});

test('schedules that are planned for all accounts leave none of an erased organisation', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const other = await own.tenant();
  const { database } = own.app;
  const { id } = own.organization;
  const tasks = [id, other.organization.id].map((organizationId) => ({
    organizationId,
    task: 'sync' as const,
    subject: `${newId()}:orders`,
    everySeconds: 600,
  }));
  const planned = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const planning = database.write(async (handle) => {
    await planMissing(handle, tasks.slice(0, 1), own.clock.now());
    planned.resolve();
    await goOn.promise;
  });
  await planned.promise;
  const erasing = erased(own);
  await someoneWaits(database).finally(() => goOn.resolve());
  await Promise.all([planning, erasing]);
  const count = await database.write((handle) => planMissing(handle, tasks, own.clock.now()));

  assert.equal(count, 1, 'that of the other organisation');
  assert.deepEqual(await query(own, 'select from schedules where organization_id = $1', [id]), []);
});

test('a re-rendering that was planned for an erased organisation is dropped, and the next ones go on', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const other = await own.tenant();
  await own.record([anOrder({ id: 'A-1' })], other.organization.id);
  await erased(own);
  for (const organizationId of [own.organization.id, other.organization.id])
    await query(
      own,
      `insert into rerenderings (organization_id, representation, started_at, due_at)
       values ($1, (select max(representation) from orders), $2, $2)`,
      [organizationId, own.clock.now().toString()],
    );

  await rerenderDue(own.app.exchange);

  assert.deepEqual(
    await query(own, 'select organization_id, ended_at is not null as is_done from rerenderings'),
    [{ organization_id: other.organization.id, is_done: true }],
  );
});

test('of the webhooks in flight none leaves a row, and none follows', async (t) => {
  const own = await openApp(t, { plan: 'experto', database: await freshDatabase() });
  const { id } = own.organization;
  const receiver = await openEndpoint(t);
  const held = Promise.withResolvers<void>();
  receiver.answer = (response) => void held.promise.then(() => response.writeHead(204).end());
  const endpointId = await own.app.database.within(id).write(async (scope) => {
    const terms = { url: receiver.url, isOperatorTrusted: true };
    const made = await createEndpoint(scope, 'operator', terms, 20);
    for (let event = 0; event < 60; event++) await sendTest(scope, 'operator', made.id);
    return made.id;
  });
  const delivering = deliverEvents(own.app.exchange, { organizationId: id, endpointId });
  const refused = assert.rejects(delivering, /La organización ya no existe/);
  await soon(() => assert.ok(receiver.deliveries.length > 0));
  await erased(own);
  const sent = receiver.deliveries.length;
  held.resolve();
  await refused;

  assert.ok(sent < 60, `${sent} were under way`);
  assert.equal(receiver.deliveries.length, sent);
  for (const table of ['webhook_deliveries', 'webhook_attempts', 'events', 'webhook_endpoints'])
    assert.deepEqual(await query(own, `select from ${table} where organization_id = $1`, [id]), []);
});

async function erased({ app: { database }, clock, organization: { id } }: TestApp): Promise<void> {
  await quiet(database, clock, id);
  await close(database, clock, id, []);
  await erase(database, clock, id);
}

async function withoutForeignKey(instance: TestApp): Promise<string[]> {
  const rows = await query(
    instance,
    `select conrelid::regclass::text as name from pg_constraint
      where contype = 'f' and confrelid = 'organizations'::regclass`,
  );
  const held = new Set(rows.map(({ name }) => name));
  return ERASED.filter((table) => !held.has(table));
}

function watching(table: string): string {
  return `create trigger fence before insert on ${table} for each row execute function watch_fence()`;
}
