import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { close, ERASED, erase, quiet } from '../src/features/erasure/index.ts';
import { createKey } from '../src/features/keys/index.ts';
import { addMember } from '../src/features/people/index.ts';
import type { Failure } from '../src/platform/failure.ts';
import { newId } from '../src/platform/ids.ts';
import { launchCommand, runCommand } from './reliability/support/commands.ts';
import { openClient } from './reliability/support/ground.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { dumpBy, dumpOf, shownIn } from './support/dump.ts';
import { query } from './support/market.ts';
import { openParcels } from './support/parcels.ts';
import { PROOFS, plant } from './support/planted.ts';
import { atDatabase, freshDatabase, someoneWaits } from './support/server.ts';
import { openStage } from './support/stand-stage.ts';
import { STANDS } from './support/stands.ts';

// `erase-organization`: everything of an organisation goes, for good; nothing of another one does.

interface Proof {
  readonly organization_id: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly erased: Readonly<Record<string, number>>;
  readonly webhooks_at_services: readonly { service: string; webhooks: string }[];
  readonly not_erased: readonly { what: string; until: string }[];
}

/** Tables without rows of an organisation, with the reason. */
const OF_NOBODY: Readonly<Record<string, string>> = {
  credentials: 'of people, by person',
  passkeys: 'of people, by person',
  people: 'people of no other organisation are erased',
  second_factors: 'of people, by person',
  sessions: 'of people, by person',
  used_codes: 'of people, by person',
  verifications: 'by the address or the id of a person',
  oauth_records: 'by the grant or the id of a person',
  oauth_keys: 'of the installation',
  api_deprecations: 'of the installation',
  restores: 'of the installation',
  installation: 'of the installation',
  migrations: 'of the installation',
  organizations: 'the organisation itself, by its id',
  sign_in_failures: 'by a hash, for a day',
  sign_in_limits: 'by a hash, for a day',
};

/** Where the id of an erased organisation stays. */
const NAMED_IN = PROOFS.map((table) => `public.${table}.organization_id`);

test('every table of the catalogue is erased, or is of no organisation', async () => {
  const database = await freshDatabase();
  const of = await atDatabase(database, async (client) => {
    const { rows } = await client.query<{ name: string; is_of_one: boolean }>(
      `select relname as name, exists (select from pg_attribute
                where attrelid = c.oid and attname = 'organization_id') as is_of_one
         from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    return rows;
  });
  const named = (isOfOne: boolean) =>
    of.filter(({ is_of_one }) => is_of_one === isOfOne).map(({ name }) => name);
  assert.deepEqual(named(true).toSorted(), [...ERASED, ...PROOFS].toSorted());
  assert.deepEqual(named(false).toSorted(), Object.keys(OF_NOBODY).toSorted());
});

test('markers in every table, in jobs and of its people: none is left, and another organisation has every byte', {
  tags: ['slow'],
}, async (t) => {
  const database = await freshDatabase();
  const own = await openApp(t, { database });
  const other = await own.tenant();
  const here = own.organization.id;
  const [only, both] = [await member(own, here, 'sola'), await member(own, here, 'ambas')];
  await own.app.database
    .within(other.organization.id)
    .write((scope) => addMember(scope, 'operator', { personId: both, role: 'member' }));
  await own.app.close();
  const tables = await plant(database, here, 'MARCA-DE-AQUI');
  await plant(database, other.organization.id, 'MARCA-DE-ALLA');
  await atDatabase(database, async (client) => {
    await client.query(
      `insert into queue.job (name, data, state) values
        ('sync', $1, 'created'), ('sync', $1, 'retry'), ('sync', $1, 'completed'),
        ('sync', $2, 'created')`,
      [
        { organizationId: here, said: 'MARCA-DE-AQUI' },
        { organizationId: other.organization.id, said: 'MARCA-DE-ALLA' },
      ],
    );
    // Rows of no service cannot be opened; that of a service that is signed off is tested below.
    await client.query("update connections set state = 'disconnected'");
  });
  const before = await ofOrganization(database, other.organization.id);

  const command = launchCommand(t, { ...own.env, LOG_LEVEL: 'debug' }, [
    'erase-organization',
    ...['--organization', here, '--confirm', 'Tienda de prueba'],
  ]);
  assert.equal(await command.ended, 0, command.lines.join('\n'));

  const said = command.lines.join('\n');
  assert.doesNotMatch(said, /MARCA-DE|sola@/, 'neither its logs nor the proof say a marker');
  const dump = await atDatabase(database, (client) =>
    dumpBy(async (text) => (await client.query(text)).rows),
  );
  assert.deepEqual(shownIn(dump, new Set(['MARCA-DE-AQUI', 'sola@tienda.example', only])), []);
  assert.deepEqual(await ofOrganization(database, other.organization.id), before);
  assert.ok(before.length > 2 * tables.length, 'the other one has its rows');
  assert.equal(shownIn(dump, new Set(['ambas@tienda.example'])).length, 1, 'who is in both stays');
  const { erased, not_erased } = JSON.parse(
    command.lines.filter((line) => line.includes('"not_erased"')).join(''),
  ) as Proof;
  const planted = tables.filter((table) => !(Number(erased[table]) >= 1));
  assert.deepEqual(planted, [], 'each is counted');
  assert.equal(erased['queue.job'], 3);
  assert.equal(erased.people, 1);
  assert.ok(not_erased.length >= 7);
  const again = await runCommand<Proof>(own.env, [
    'erase-organization',
    ...['--organization', here, '--confirm', 'Tienda de prueba'],
  ]);
  assert.deepEqual(again.erased, erased, 'the proof is the same');
});

test('another name, or none of ours: refused, and nothing is touched', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  await own.record([anOrder()]);
  for (const [confirm, organization] of [
    ['tienda de prueba', own.organization.id],
    ['', own.organization.id],
    ['Tienda de prueba', newId()],
  ] as const)
    await assert.rejects(
      runCommand(own.env, [
        'erase-organization',
        ...['--organization', organization, '--confirm', confirm],
      ]),
      /invalid_request|not_found/,
    );

  assert.equal((await own.api('/v1/orders')).body.data.length, 1);
  assert.deepEqual(await query(own, 'select from erasures'), []);
});

test('a kill in the middle: the organisation stays shut, and the next call counts every row once', {
  tags: ['slow'],
}, async (t) => {
  const database = await freshDatabase();
  const own = await openApp(t, { database });
  const { id } = own.organization;
  const rows = 10_000;
  await query(
    own,
    `insert into stock_history (organization_id, marketplace, account_id, item_id, variation_id, warehouse, at,
       available, unavailable, is_gone)
     select $1, 'amazon', 'a', 'i' || n, '', '', now(), 1, 0, false from generate_series(1, ${rows}) n`,
    [id],
  );
  const args = ['erase-organization', '--organization', id, '--confirm', own.organization.name];
  const erased =
    "select coalesce(sum(rows), 0)::int as rows from erased_rows where table_name = 'stock_history'";

  // The last rows cannot be erased yet: the command waits for them.
  const holder = await openClient(t, own.env.DATABASE_URL as string);
  await holder.query('begin');
  await holder.query('select from stock_history where item_id = $1 for update', [`i${rows}`]);
  const command = launchCommand(t, own.env, args);
  await someoneWaits(own.app.database);
  await command.end('SIGKILL');
  await holder.query('rollback');

  const [left] = await query(own, 'select count(*)::int as count from stock_history');
  const [counted] = await query(own, erased);
  const [kept, gone] = [Number(left?.count), Number(counted?.rows)];
  assert.ok(kept > 0 && gone > 0, `the kill was in the middle: ${kept} left, ${gone} erased`);
  await assert.rejects(own.record([anOrder()]), isGone);
  assert.equal((await own.api('/v1/orders')).status, 401);
  const proof = await runCommand<Proof>(own.env, args);
  assert.equal(proof.erased.stock_history, rows);
  assert.deepEqual(await query(own, 'select from stock_history'), []);
});

test('what had begun to write ends first; what begins later is refused', {
  tags: ['slow'],
}, async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const { database } = own.app;
  const { id } = own.organization;
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow = database.within(id).write(async (scope) => {
    begun.resolve();
    await goOn.promise;
    await createKey(scope, 'operator', { name: 'tarde' });
  });
  await begun.promise;
  await quiet(database, own.clock, id);
  await close(database, own.clock, id, []);
  const erasing = erase(database, own.clock, id);
  await assert.rejects(own.record([anOrder()]), isGone);
  await someoneWaits(database).finally(() => goOn.resolve());
  await slow;
  await erasing;

  await assert.rejects(own.record([anOrder()]), isGone);
  assert.deepEqual(shownIn(await dumpOf(own, NAMED_IN), new Set([id])), []);
});

test('a sync run under way stores nothing more', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const [stand] = STANDS;
  assert.ok(stand);
  const stage = await openStage(own, stand, { seed: 'erased under way', orders: 30 });
  t.after(stage.shop.close);
  const walking = (async () => {
    for (;;) await stage.walk();
  })();
  const refused = assert.rejects(walking, isGone);
  await pause(200);

  const { database } = own.app;
  await quiet(database, own.clock, stage.organizationId);
  await close(database, own.clock, stage.organizationId, []);
  await erase(database, own.clock, stage.organizationId);

  await refused;
  const left = await dumpOf(own, NAMED_IN);
  assert.deepEqual(shownIn(left, new Set([stage.organizationId])), []);
});

test('its webhooks at a carrier are removed, one try each; where that fails the proof says so', {
  tags: ['slow'],
}, async (t) => {
  for (const [spoil, outcome] of [
    [false, 'removed'],
    [true, 'left'],
  ] as const) {
    const { sim, own, connect } = await openParcels(t);
    await connect();
    assert.ok(sim.webhooks.registered.length > 0);
    if (spoil) sim.revoke();

    const proof = await runCommand<Proof>(own.env, [
      'erase-organization',
      ...['--organization', own.organization.id, '--confirm', own.organization.name],
    ]);

    assert.deepEqual(proof.webhooks_at_services, [{ service: 'zipnova', webhooks: outcome }]);
    assert.equal(sim.webhooks.registered.length === 0, !spoil);
    const says = proof.not_erased.some(({ what }) => /no se pudieron quitar/.test(what));
    assert.equal(says, spoil);
  }
});

function isGone(error: Failure): boolean {
  return error.code === 'not_found' && /ya no existe/.test(error.message);
}

/** @returns the id of a new person, who is a member */
async function member(own: TestApp, organizationId: string, name: string): Promise<string> {
  const id = newId();
  await query(
    own,
    `insert into people (id, name, email, created_at, updated_at) values ($1, $2, $3, now(), now())`,
    [id, name, `${name}@tienda.example`],
  );
  await own.app.database
    .within(organizationId)
    .write((scope) => addMember(scope, 'operator', { personId: id, role: 'member' }));
  return id;
}

/** Every row of an organisation, each behind its table. */
async function ofOrganization(database: string, id: string): Promise<string[]> {
  return atDatabase(database, async (client) => {
    const found: string[] = [];
    for (const table of ERASED) {
      const { rows } = await client.query<{ row: string }>(
        `select t::text as row from ${table} t where organization_id = $1 order by 1`,
        [id],
      );
      found.push(...rows.map(({ row }) => `${table} ${row}`));
    }
    return found;
  });
}
