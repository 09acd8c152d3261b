import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { paquetexpress } from '../../src/carriers/paquetexpress/connector.ts';
import { guideDocument } from '../../src/carriers/paquetexpress/guide.ts';
import {
  envelopeOf,
  readMade,
  readPushed,
  readShipment,
  referencesOf,
  Session,
  Tracked,
} from '../../src/carriers/paquetexpress/wire.ts';
import { parseLossless } from '../../src/platform/json.ts';
import { aGuide } from '../support/paquetexpress.ts';

// Official documents of Paquetexpress, where SAMPLES_DIR names a folder with them; none is part of
// the project. What is expected is read off the document.

const FOLDER = process.env.SAMPLES_DIR
  ? join(process.env.SAMPLES_DIR, 'carriers/examples/carrier-b')
  : '';
const skip = existsSync(FOLDER) ? false : 'SAMPLES_DIR names no folder with official documents';
const NOW = Temporal.Instant.from('2026-11-16T18:00:00Z');

test('every official answer is judged by what it says of itself', { skip }, () => {
  const verdictOf = (file: string) =>
    paquetexpress.verdict?.({ status: 200, headers: {}, body: read(file), fetchedAt: NOW });

  for (const good of [
    'login-response',
    'guide-response',
    'infotrack-response',
    'tracking-history',
    'quote-response',
  ])
    assert.equal(verdictOf(good), 'ok', good);
  assert.equal(verdictOf('login-response-error'), 'renew');
  assert.equal(verdictOf('guide-response-error'), 'renew', 'the token has expired');
});

test('the official login gives a session', { skip }, () => {
  const envelope = envelopeOf({ body: read('login-response') });

  assert.equal(
    Session.parse(envelope.data).token,
    JSON.parse(read('login-response')).body.response.data.token,
  );
});

test('the official history comes out as the events that it describes', { skip }, () => {
  const rows = envelopeOf({ body: read('tracking-history') }).data as unknown[];
  const reported = JSON.parse(read('tracking-history')).body.response.data;
  const document = { rastreo: reported[0].rastreo };

  const { events, carrierStatus, category } = readShipment(document, {
    fetchedAt: NOW,
    history: rows,
  });

  assert.deepEqual(
    events.map(({ code, trackingNumber, location, occurredAt, description }) => ({
      code,
      trackingNumber,
      location,
      at: occurredAt.epochMilliseconds,
      description,
    })),
    reported.map((row: Record<string, string | number>) => ({
      code: row.eventoId,
      trackingNumber: row.rastreo,
      location: row.ciudadEvento,
      at: row.fechahora,
      description: row.status,
    })),
  );
  // The words of the document and its instant are the same minute of Mexico City.
  for (const [index, { occurredAt }] of events.entries())
    assert.equal(
      occurredAt.toZonedDateTimeISO('America/Mexico_City').toPlainTime().toString().slice(0, 5),
      reported[index].hora,
    );
  assert.deepEqual([carrierStatus, category], [reported.at(-1).eventoId, 'EN_TRANSITO']);
});

test('the official document of a parcel fills its fields', { skip }, () => {
  const { retornoSolicitud } = Tracked.parse(envelopeOf({ body: read('infotrack-response') }).data);
  const reported = JSON.parse(read('infotrack-response')).body.response.data.retornoSolicitud;

  const shipment = readShipment(retornoSolicitud, { fetchedAt: NOW, history: [] });

  const { details } = shipment;
  assert.equal(shipment.id, reported.rastreo);
  assert.equal(shipment.guideNumber, reported.guiaNoFormat);
  assert.deepEqual(referencesOf(retornoSolicitud), [
    reported.servicios.referencias.referencia[0].claveRef,
  ]);
  assert.deepEqual(
    [
      details?.guide_number,
      details?.payment_type_text,
      details?.package_count,
      details?.destination_zip,
    ],
    [
      reported.guiaNo,
      reported.pymtTypeTxt,
      reported.numPack,
      reported.destinationClient.address.zipCode,
    ],
  );
  assert.deepEqual(
    [details?.origin_branch, details?.delivery_route, details?.ack_type, details?.insurance_type],
    [
      reported.originClient.branchId,
      reported.destinationClient.rout,
      reported.servicios.ackType,
      null,
    ],
  );
  const [day, month, year] = reported.fecha.split('/');
  assert.equal(details?.documented_at, `${year}-${month}-${day}T06:00:00Z`);
});

test('the official answers to a request for a guide are read, with their balance where they have it', {
  skip,
}, () => {
  const plain = readMade(envelopeOf({ body: read('guide-response') }));
  const amounts = readMade(envelopeOf({ body: read('guide-response-with-amounts.inferred') }));
  const reported = JSON.parse(read('guide-response-with-amounts.inferred')).body.response;

  assert.equal(plain.guide, 'MEX01WE0000270');
  assert.deepEqual([plain.amount, plain.availableBalance], [null, null]);
  assert.deepEqual(
    [amounts.tracking, amounts.guide, Number(amounts.amount), Number(amounts.availableBalance)],
    [
      reported.data,
      reported.objectDTO.split(':')[1],
      reported.additionalData.totalAmnt,
      reported.additionalData.creditAmnt,
    ],
  );
});

test('what we ask for a guide has no field that the official request does not know, but for those of the layout', {
  skip,
}, () => {
  const official = JSON.parse(read('guide-request')).body.request.data[0];
  const LAYOUT = ['dlvyType', 'ackType', 'invType', 'shipType', 'rfc', 'shpCode'];

  const ours = guideDocument({ username: 'U' }, aGuide('R'));

  assert.deepEqual(
    [...namesIn(ours)].filter((name) => !namesIn(official).has(name)).sort(),
    LAYOUT.sort(),
  );
  assert.deepEqual(
    [...namesIn(official)].filter((name) => !namesIn(ours).has(name)),
    [],
  );
});

test('a webhook as the documents let expect it is one event', { skip }, () => {
  const reported = JSON.parse(read('webhook-event.inferred'));

  const [event, ...others] = readPushed(parseLossless(read('webhook-event.inferred')));

  assert.deepEqual(others, []);
  assert.deepEqual(
    [event?.trackingNumber, event?.code, event?.occurredAt.epochMilliseconds],
    [reported.rastreo, reported.eventoId, reported.fechahora],
  );
});

function read(name: string): string {
  return readFileSync(join(FOLDER, `${name}.json`), 'utf8');
}

function namesIn(value: unknown): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set();
  if (Array.isArray(value)) return new Set(value.flatMap((one) => [...namesIn(one)]));
  return new Set(Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]));
}
