import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Paquetexpress } from '../simulators/paquetexpress/index.ts';
import { requestGuides } from '../src/exchange/jobs/guides.ts';
import {
  type Batch,
  batchById,
  changeSettings,
  recordProducts,
} from '../src/features/warehouse/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { jobsDone, query } from './support/market.ts';
import { connectCarrier, startCarrier } from './support/paquetexpress.ts';
import { CUP, OPERATOR, ORIGIN, stageLine } from './support/warehouse.ts';

// A restore brings back a time in which guides were not bought yet. They cost money.

const MASTER_KEY = randomBytes(32).toString('base64');
const GUIDE = /POST .*\/v1\/guia$/;

test('a guide that the carrier sold after the backup is found in its listing, and not bought again', {
  tags: ['slow'],
}, async (t) => {
  const { origin, carrier, line, other, restored } = await openStage(t);
  const bought = await generate(origin, [line], 'antes');
  const [sold] = carrier.parcels();
  assert.equal(bought.lines[0]?.outcome, 'generated');

  const target = await restored();
  const batch = await generate(target, [line, other], 'después');

  assert.deepEqual(
    batch.lines.map(({ outcome }) => outcome),
    ['generated', 'generated'],
  );
  assert.equal(batch.lines[0]?.attempt?.trackingNumber, sold?.tracking);
  assert.equal(carrier.parcels().length, 2, 'one guide of each line');
  const linked = await query(target, 'select order_id from shipments where tracking_number = $1', [
    sold?.tracking,
  ]);
  assert.deepEqual(linked, [{ order_id: 'G-1' }], 'its shipment is that of its order');
  assert.equal(guidesAsked(carrier), 2);
  const again = await generate(target, [line], 'otra vez');
  assert.equal(again.lines[0]?.outcome, 'already_generated');
});

test('a guide that was bought and cancelled after the backup is not recalled: another one is bought', {
  tags: ['slow'],
}, async (t) => {
  const { origin, carrier, line, restored } = await openStage(t);
  const bought = await generate(origin, [line], 'antes');
  const lost = bought.lines[0]?.attempt?.trackingNumber ?? '';
  await cancelAtCarrier(carrier, lost);

  const target = await restored();
  const batch = await generate(target, [line], 'después');

  assert.equal(batch.lines[0]?.outcome, 'generated');
  const valid = batch.lines[0]?.attempt?.trackingNumber;
  assert.ok(valid && valid !== lost, 'the cancelled guide counts as valid');
  assert.equal(carrier.parcels().length, 2);
  assert.notEqual(carrier.parcels()[0]?.reference, carrier.parcels()[1]?.reference);
  const attempts = await query(
    target,
    `select tracking_number as tracking, cancelled_at is not null as cancelled
       from guide_attempts where line_id = $1 order by seq`,
    [line],
  );
  assert.deepEqual(attempts, [
    { tracking: lost, cancelled: true },
    { tracking: valid, cancelled: false },
  ]);
});

test('without the carrier’s listing no guide is bought after a restore', {
  tags: ['slow'],
}, async (t) => {
  const { origin, carrier, line, restored } = await openStage(t);
  await generate(origin, [line], 'antes');
  const target = await restored();
  carrier.faults.next({ kind: 'garbage', match: /consulta/, times: 50 });

  const batch = await generate(target, [line], 'después');

  assert.deepEqual(
    [batch.lines[0]?.outcome, batch.lines[0]?.errorCode],
    ['blocked', 'listing_unread'],
  );
  assert.equal(guidesAsked(carrier), 1);
});

async function openStage(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'backup-guides-'));
  // As root the database runs as another user, who needs access.
  await chmod(folder, 0o711);
  WHOLE_FILE.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  // The database's own clock names the instant of a backup.
  const clock = turnedClock(systemClock.now().toString());
  const origin = await openApp(t, { clock, env: { MASTER_KEY } });
  const organizationId = origin.organization.id;
  const carrier = await startCarrier(t, origin.clock);
  await connectCarrier(origin, organizationId, carrier);
  await origin.app.database.within(organizationId).write(async (scope) => {
    await recordProducts(scope, [CUP]);
    await changeSettings(scope, OPERATOR, { origin: ORIGIN });
  });
  const line = await stageLine(origin, organizationId, 'G-1');
  const other = await stageLine(origin, organizationId, 'G-2');
  const file = join(folder, 'backup.tianguis');
  const made = await runHere(['backup', file, '--json'], origin.env);
  assert.equal(made.code, 0, made.stdout);
  const restored = async (): Promise<TestApp> => {
    const env = { MASTER_KEY, DATA_DIR: join(folder, 'data') };
    const { code, stdout } = await runHere(['restore', file, '--json'], env);
    assert.equal(code, 0, stdout);
    const target = await openApp(t, { clock, env: { ...env, DATABASE_URL: '' } });
    return { ...target, organization: origin.organization };
  };
  return { origin, carrier, line, other, restored };
}

async function generate(own: TestApp, lineIds: readonly string[], key: string): Promise<Batch> {
  const organization = own.app.database.within(own.organization.id);
  const order = { lineIds, idempotencyKey: key, overrides: {}, accountId: null };
  const { batchId } = await organization.write((scope) =>
    requestGuides(scope, own.app.exchange, OPERATOR, order),
  );
  await jobsDone(own);
  return organization.read((scope) => batchById(scope, batchId));
}

/** As in the carrier's own portal. */
async function cancelAtCarrier(carrier: Paquetexpress, tracking: string): Promise<void> {
  const parcel = carrier.parcels().find((one) => one.tracking === tracking);
  assert.ok(parcel);
  parcel.events = [{ code: 'CWB', at: parcel.documentedAt }];
}

function guidesAsked({ requests }: { requests: readonly { method: string; path: string }[] }) {
  return requests.filter(({ method, path }) => GUIDE.test(`${method} ${path}`)).length;
}
