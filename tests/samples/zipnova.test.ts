import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { zipnova } from '../../src/carriers/zipnova/connector.ts';
import { notifications } from '../../src/carriers/zipnova/notifications.ts';
import {
  AccountRow,
  Listed,
  Row,
  readShipment,
  Subscription,
} from '../../src/carriers/zipnova/wire.ts';
import { parseLossless } from '../../src/platform/json.ts';

// Official sample documents are read where SAMPLES_DIR names a folder with them; none is part of
// the project.

const FOLDER = process.env.SAMPLES_DIR
  ? join(process.env.SAMPLES_DIR, 'carriers/examples/carrier-a')
  : '';
const skip = existsSync(FOLDER) ? false : 'SAMPLES_DIR names no folder with official documents';
const FETCHED_AT = Temporal.Instant.from('2026-11-16T18:00:00Z');

// biome-ignore lint/suspicious/noExplicitAny: other people's documents
type Document = any;

test('the official shipment and its tracking are read as they describe it', { skip }, () => {
  const [document, tracking] = [plain('shipment-detail'), plain('tracking')];

  const shipment = readShipment(read('shipment-detail'), read('tracking'), FETCHED_AT);

  assert.deepEqual(
    [shipment.id, shipment.carrierStatus, shipment.guideNumber, shipment.orderReference],
    [String(document.id), document.status, document.delivery_id, document.external_id],
  );
  assert.equal(shipment.cost, String(document.price_incl_tax));
  assert.equal(shipment.declaredValue, String(document.declared_value));
  assert.equal(
    shipment.createdAt.epochMilliseconds,
    Date.parse(document.created_at.replace('+0000', 'Z')),
  );
  const kilograms = shipment.packages.map(({ weightKg }) => Number(weightKg) * 1000);
  assert.deepEqual(
    kilograms,
    document.packages.map(({ weight }: Document) => weight),
  );
  const oldestFirst = tracking.toReversed();
  assert.deepEqual(
    shipment.events.map(({ code, occurredAt }) => [code, occurredAt.epochMilliseconds]),
    oldestFirst.map(({ status, created_at }: Document) => [status.code, Date.parse(created_at)]),
  );
  assert.equal(shipment.deliveredAt?.epochMilliseconds, Date.parse(tracking[0].created_at));
  assert.ok(shipment.events.every(({ category }) => category !== null));
});

test('the official list, accounts and webhooks are read to the last row', { skip }, () => {
  const shapes = {
    'shipments-list': Row,
    'accounts-list': AccountRow,
    'webhooks-list': Subscription,
  };
  for (const [name, shape] of Object.entries(shapes)) {
    const { data, meta } = Listed.parse(read(name));
    assert.deepEqual(
      data.map((row) => shape.parse(row).id),
      plain(name).data.map(({ id }: Document) => String(id)),
      name,
    );
    assert.equal(meta.last_page, plain(name).meta.last_page);
  }
});

test('the official webhook asks for its shipment, of its account', { skip }, () => {
  const text = readFileSync(join(FOLDER, 'webhook-status.json'), 'utf8');
  const { account_id, shipment_id } = plain('webhook-status').data;
  const push = { headers: {}, text, body: parseLossless(text) };

  assert.equal(notifications.account(push), String(account_id));
  assert.deepEqual(notifications.notificationsIn(push), [
    { stream: 'shipments', id: String(shipment_id) },
  ]);
});

test('the official refusal of a cancellation is no bad credential', { skip }, () => {
  const body = readFileSync(join(FOLDER, 'cancel-refused-401.json'), 'utf8');

  assert.equal(
    zipnova.verdict?.({ status: 401, headers: {}, body, fetchedAt: FETCHED_AT }),
    'refuse',
  );
  assert.equal(
    zipnova.verdict?.({ status: 401, headers: {}, body: '{}', fetchedAt: FETCHED_AT }),
    null,
  );
});

function read(name: string): unknown {
  return parseLossless(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
}

function plain(name: string): Document {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
}
