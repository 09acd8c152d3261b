import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followingOf } from '../src/exchange/keep.ts';
import { recordEvents, settleWaiting } from '../src/features/shipments/index.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { openHouse, type TestHouse } from './support/house.ts';
import { atDatabase, freshDatabase } from './support/server.ts';

// A new organisation with very many rows, of which the statistics know nothing: the planner then believes that there are
// none, and any index that begins with the organisation looks as good to it as the right one.

const ROWS = 5_000;
const EVENTS = 20;
/** A parcel is looked at a few times: to be found, locked, moved and presented. */
const MOST_READ_OF_EACH = 10;

test('pushes find their parcels by number, and settling reads those alone', async (t) => {
  const house = await unanalysed(t);
  const at = house.clock.now().subtract({ hours: 1 });
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    trackingNumber: `R${n + 1}`,
    code: 'HCA',
    occurredAt: at,
    category: 'EN_TRANSITO' as const,
    description: null,
    location: null,
    raw: '{}',
  }));

  const taking = await rowsRead(house, (scope) => recordEvents(scope, 'paquetexpress', events));
  const settling = await rowsRead(house, (scope) =>
    settleWaiting(scope, followingOf(house.house.exchange, false)),
  );

  for (const read of [taking, settling])
    for (const [table, rows] of read)
      assert.ok(rows <= EVENTS * MOST_READ_OF_EACH, `${rows} rows of ${table}`);
  assert.ok((taking.get('shipments') ?? 0) >= EVENTS);
  assert.ok((settling.get('shipments') ?? 0) >= EVENTS);
});

// Arrangement

/** How many rows a verb read of each table. */
async function rowsRead(
  { house, organization }: TestHouse,
  verb: (scope: WriteScope) => Promise<unknown>,
): Promise<Map<string, number>> {
  return house.database.within(organization.id).write(async (scope) => {
    await verb(scope);
    const rows = await scope.handle.sql(
      `select relname as name, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read
         from pg_stat_xact_user_tables`,
      [],
    );
    return new Map((rows as { name: string; read: number }[]).map(({ name, read }) => [name, read]));
  });
}

/** Statistics are of a time at which others had parcels and this organisation had none. */
async function unanalysed(t: Parameters<typeof openHouse>[0]): Promise<TestHouse> {
  const database = await freshDatabase();
  const house = await openHouse(t, { database });
  const others = await house.tenant();
  await atDatabase(database, async (client) => {
    await client.query(FILL, [others.organization.id, ROWS]);
    await client.query('alter table shipments set (autovacuum_enabled = off)');
    await client.query('analyze');
    await client.query(FILL, [house.organization.id, ROWS]);
  });
  return house;
}

const FILL = `
  insert into shipments (organization_id, connection_id, carrier, account_id, id, tracking_number, guide_number, category,
    carrier_status, is_final, is_damaged, currency, created_at, packages, relations, fetched_at, recorded_at, updated_at,
    fingerprint, raw)
  select $1::uuid, $1::uuid, 'paquetexpress', 'A', 'R' || n, 'R' || n, 'R' || n, 'PREPARANDO', '', false, false, 'MXN',
    now() - n * interval '1 minute', '[]', '[]', now(), now(), now(), '', '{}'
    from generate_series(1, $2::int) n`;
