import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Paquetexpress, startPaquetexpress } from '../simulators/paquetexpress/index.ts';
import { connect } from '../src/exchange/connect/connect.ts';
import { type BatchJob, runGuides } from '../src/exchange/guides/generate-guides.ts';
import { cancelGuide, guideLabels } from '../src/exchange/guides/made-guide.ts';
import { requestGuides, resumeGuides } from '../src/exchange/jobs/guides.ts';
import { reachOf } from '../src/exchange/parts.ts';
import { forgetBuyer } from '../src/exchange/webhooks/privacy.ts';
import type { Order } from '../src/features/orders/index.ts';
import {
  type Actor,
  acceptBatch,
  attemptById,
  attemptsOf,
  type Batch,
  batchById,
  beginAttempt,
  changeSettings,
  forgetDestinations,
  markSent,
  presentBatch,
  recordFailure,
  recordGuide,
  recordProducts,
  resolveAttempt,
  setDestination,
  setPackages,
  setTracking,
  transferLine,
} from '../src/features/warehouse/index.ts';
import { lockLine } from '../src/features/warehouse/lines/change-line.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { Failure } from '../src/platform/failure.ts';
import { lastFirst } from './reliability/support/processes.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { alertsOf, jobsDone, query } from './support/market.ts';
import { freshDatabase, someoneWaits } from './support/server.ts';
import {
  ADDRESS,
  CUP,
  lineOf,
  linesOf,
  MEMBER,
  OPERATOR,
  ORIGIN,
  PACKER,
  readyForGuides,
  SUPERVISOR,
} from './support/warehouse.ts';

// Specification, section 6: guides of pre-shipping lines at Paquetexpress.

const shared = await openApp(WHOLE_FILE);

const GUIDE = /POST .*\/v1\/guia$/;
const LOOK_UP = /consulta/;
const CANCEL = /cancelguia/;
const LOGIN = /loginv1/;
/** As faults see it: with its query, be it empty. */
const MAKE = /rad\/v1\/guia\b/;
const OURS = 'organization_id = $1';

interface Bench {
  readonly instance: TestApp;
  readonly carrier: Paquetexpress;
  /** The lines of the orders 1, 2, 3 …, in this order. */
  readonly lines: readonly string[];
  /** The account at the carrier. */
  readonly connectionId: string;
}

test('a batch of guides: tracking, guide, amount, balance and labels of each line, which stay in preparation', async (t) => {
  const bench = await openBench(t, 2);

  const { results, summary } = presentBatch(await generate(bench));

  assert.deepEqual(
    { ...summary },
    { total: 2, pending: 0, generated: 2, already_generated: 0, blocked: 0, failed: 0, unknown: 0 },
  );
  for (const [at, result] of results.entries()) {
    const parcel = bench.carrier.parcels()[at];
    assert.equal(result.line_id, bench.lines[at]);
    assert.deepEqual(
      [result.outcome, result.tracking, result.guide, result.currency, result.error],
      ['generated', parcel?.tracking, parcel?.guide, 'MXN', null],
    );
    assert.equal(Number(JSON.stringify(result.amount)), Number(parcel?.amount));
    assert.match(result.zpl ?? '', /^\^XA/);
    assert.match(Buffer.from(result.pdf ?? '', 'base64').toString('latin1'), /^%PDF-/);
  }
  assert.equal(
    JSON.stringify(results[1]?.available_balance),
    JSON.stringify(Number(bench.carrier.credit())),
  );
  const lines = await linesOf(bench.instance);
  assert.deepEqual(
    lines.map(({ state, trackingSource }) => [state, trackingSource]),
    [
      ['staged', 'guide'],
      ['staged', 'guide'],
    ],
  );
});

test('the guide is requested with the layout of the specification, the weight and size of the goods', async (t) => {
  const bench = await openBench(t, 1);
  await act(bench, (scope) => setPackages(scope, PACKER, bench.lines[0] as string, 2));

  const { lines } = await generate(bench);

  assert.deepEqual(lines[0]?.attempt?.request, {
    reference: lines[0]?.attempt?.reference,
    origin: { ...ORIGIN, country: 'MEXICO' },
    destination: { ...ADDRESS, email: null, country: 'MEXICO' },
    destinationTaxId: 'XAXX010101000',
    packages: 2,
    weightKg: '0.450',
    lengthCm: '12',
    widthCm: '10',
    heightCm: '9.5',
    packageCode: '3',
    content: 'COLCHON',
    deliveryType: '2',
    paymentForm: 'PAID',
    acknowledgement: 'N',
    coverage: 'N',
    serviceType: 'ST',
    productId: '56101508',
    comments: 'Orden 1',
  });
  const [parcel] = bench.carrier.parcels();
  assert.deepEqual(
    [parcel?.content, parcel?.productId, parcel?.packageCode, parcel?.packages, parcel?.sides],
    ['COLCHON', '56101508', '3', 2, [12, 10, 9.5]],
  );
});

test('a field of the layout may differ for one batch', async (t) => {
  const bench = await openBench(t, 1);

  await generate(bench, { overrides: { content: 'ALMOHADA' } });

  assert.equal(bench.carrier.parcels()[0]?.content, 'ALMOHADA');
});

test('what is missing blocks a line before the carrier is called, and stops no other', async (t) => {
  const bench = await openBench(t, 0);
  await record(bench, '1', 'SIN-PESO');
  await record(bench, '2', 'SIN-MEDIDAS');
  await record(bench, '3', 'TAZA-AZUL', { destination: false });
  await record(bench, '4', 'TAZA-AZUL');
  await act(bench, (scope) =>
    recordProducts(scope, [
      { ...CUP, sku: 'SIN-PESO', weightKg: null },
      { ...CUP, sku: 'SIN-MEDIDAS', widthCm: null },
    ]),
  );
  const lineIds = await Promise.all(
    ['1', '2', '3', '4'].map(async (id) => (await lineOf(bench.instance, id)).id),
  );

  const batch = await generate(bench, { lineIds });

  assert.deepEqual(
    batch.lines.map(({ outcome, errorCode }) => [outcome, errorCode]),
    [
      ['blocked', 'missing_weight'],
      ['blocked', 'missing_dimensions'],
      ['blocked', 'missing_address'],
      ['generated', null],
    ],
  );
  assert.match(batch.lines[0]?.errorMessage ?? '', /Falta el peso de SIN-PESO/);
  assert.equal(guidesAsked(bench), 1);
  assert.deepEqual(
    batch.lines.map(({ attempt }) => [attempt?.state, attempt?.sentAt === null]),
    [
      ['failed', true],
      ['failed', true],
      ['failed', true],
      ['ok', false],
    ],
  );
});

test('without an origin, or without an account at the carrier, every line is blocked without a call', async (t) => {
  const bench = await openBench(t, 1);
  await act(bench, (scope) => changeSettings(scope, OPERATOR, { origin: null }));
  const withoutOrigin = await generate(bench);
  await act(bench, (scope) => changeSettings(scope, OPERATOR, { origin: ORIGIN }));
  await query(
    bench.instance,
    `update connections set state = 'disconnected' where ${OURS}`,
    ours(bench),
  );

  const withoutAccount = await generate(bench);

  assert.deepEqual(
    [withoutOrigin, withoutAccount].map(({ lines }) => lines[0]?.errorCode),
    ['missing_origin', 'carrier_not_connected'],
  );
  assert.equal(guidesAsked(bench), 0);
});

test('with several accounts at the carrier it must be said which one makes the guides', async (t) => {
  const bench = await openBench(t, 1);
  await openSecondAccount(t, bench);
  const batchRequest = { lineIds: bench.lines, overrides: {}, idempotencyKey: 'clic' };

  const ambiguous = await refused('carrier_account_ambiguous', () => request(bench, batchRequest));
  const unknown = await refused('carrier_not_connected', () =>
    request(bench, { ...batchRequest, accountId: 'X' }),
  );

  assert.match(ambiguous.message, /varias cuentas de Paquetexpress conectadas: TIENDA01, TIENDA02/);
  for (const { details } of [ambiguous, unknown])
    assert.deepEqual(details?.accounts, [
      { id: 'TIENDA01', name: 'TIENDA01' },
      { id: 'TIENDA02', name: 'TIENDA02' },
    ]);
  assert.match(unknown.message, /La cuenta X de Paquetexpress no está conectada/);
  const taken = await query(bench.instance, `select from guide_batches where ${OURS}`, ours(bench));
  assert.equal(taken.length, 0, 'the key is free for the next try');
});

test('an account that is one of several only since a batch was taken down blocks its lines in words', async (t) => {
  const bench = await openBench(t, 1);
  const job = await accept(bench, bench.lines);
  await openSecondAccount(t, bench);

  const { lines } = await runGuides(bench.instance.app.exchange, job);

  assert.deepEqual(
    [lines[0]?.outcome, lines[0]?.errorCode],
    ['blocked', 'carrier_account_ambiguous'],
  );
  assert.match(lines[0]?.errorMessage ?? '', /TIENDA01, TIENDA02/);
  assert.equal(guidesAsked(bench), 0);
});

for (const chosen of ['the request', 'the settings'] as const)
  test(`the account that ${chosen} names makes the guide, gives its labels and cancels it`, async (t) => {
    const bench = await openBench(t, 1);
    const second = await openSecondAccount(t, bench);
    const asked = () => second.calls(/rad\/v1\/guia$/);
    if (chosen === 'the settings')
      await act(bench, (scope) =>
        changeSettings(scope, OPERATOR, { carrier_account_id: 'TIENDA02' }),
      );
    const accountId = chosen === 'the request' ? 'TIENDA02' : null;
    second.faults.next({ kind: 'server_error', match: /infotrack|GenCartaPorte/, times: 10 });

    const batch = await generate(bench, { accountId });

    assert.deepEqual([guidesAsked(bench), asked()], [0, 1]);
    const [line] = batch.lines;
    await act(bench, (scope) =>
      changeSettings(scope, OPERATOR, { carrier_account_id: 'TIENDA01' }),
    );
    second.faults.stop();
    bench.instance.clock.advance({ minutes: 30 });
    const { zpl } = await guideLabels(bench.instance.app.exchange, job(bench, line?.attempt?.id));
    assert.match(zpl ?? '', /^\^XA/);
    const { cancelledAt } = await cancelGuide(
      bench.instance.app.exchange,
      job(bench, line?.attempt?.id),
    );
    assert.ok(cancelledAt);
    assert.equal(
      bench.carrier.calls(/infotrack|cancelguia/),
      0,
      'the other account knows nothing of it',
    );
  });

test('a guide whose answer was lost is looked for at the account that it was sent to', async (t) => {
  const bench = await openBench(t, 1);
  const attempt = await dieAfterSending(bench, await accept(bench, bench.lines));
  const second = await openSecondAccount(t, bench);

  const { lines } = await generate(bench, { accountId: 'TIENDA02' });

  assert.deepEqual([lines[0]?.outcome, lines[0]?.attempt?.id], ['unknown', attempt.id]);
  assert.ok(bench.carrier.calls(LOOK_UP) > 0, 'the account of the attempt was asked');
  assert.equal(second.calls(LOOK_UP), 0, 'the other account was asked');
});

test('a cancelled order gets no guide', async (t) => {
  const bench = await openBench(t, 1);
  await bench.instance.record([changed({ status: 'cancelled' })]);

  const { lines } = await generate(bench);

  assert.deepEqual([lines[0]?.outcome, lines[0]?.errorCode], ['blocked', 'transition_not_allowed']);
  assert.match(lines[0]?.errorMessage ?? '', /«Cancelada»/);
  assert.equal(guidesAsked(bench), 0);
});

test('what the carrier refuses fails alone, in Spanish, and may be tried again', async (t) => {
  const bench = await openBench(t, 2);
  const [first = ''] = bench.lines;
  await act(bench, (scope) =>
    setDestination(scope, PACKER, first, { ...ADDRESS, zipcode: '23999' }),
  );

  const { lines } = await generate(bench);
  await act(bench, (scope) => setDestination(scope, PACKER, first, ADDRESS));
  const again = await generate(bench);

  assert.deepEqual(
    lines.map(({ outcome, errorCode }) => [outcome, errorCode]),
    [
      ['failed', 'carrier_refused'],
      ['generated', null],
    ],
  );
  assert.match(lines[0]?.errorMessage ?? '', /no llega al código postal/);
  assert.deepEqual(
    again.lines.map(({ outcome }) => outcome),
    ['generated', 'already_generated'],
  );
  assert.deepEqual(await eventsOf(bench), ['guide.failed', 'guide.generated', 'guide.generated']);
  const attempts = await read(bench, (scope) => attemptsOf(scope, first));
  assert.deepEqual(
    attempts.map(({ state }) => state),
    ['failed', 'ok'],
  );
});

test('a second run of a line with a living guide gives that guide and asks for none', async (t) => {
  const bench = await openBench(t, 1);
  const first = presentBatch(await generate(bench));

  const second = presentBatch(await generate(bench));

  assert.deepEqual(second.results[0], { ...first.results[0], outcome: 'already_generated' });
  assert.equal(guidesAsked(bench), 1);
});

test('twenty requests at once for one line call the carrier once', async (t) => {
  const bench = await openBench(t, 1);

  const batches = await Promise.all(Array.from({ length: 20 }, () => generate(bench)));

  assert.equal(guidesAsked(bench), 1);
  const outcomes = batches.map(({ lines }) => lines[0]?.outcome).sort();
  assert.deepEqual(outcomes, [...Array(19).fill('already_generated'), 'generated']);
  const trackings = new Set(batches.map(({ lines }) => lines[0]?.attempt?.trackingNumber));
  assert.equal(trackings.size, 1);
});

test('the same idempotency key is the same job, and another request under it is refused', async (t) => {
  const bench = await openBench(t, 2);
  const [first = '', second = ''] = bench.lines;
  const batchRequest = { lineIds: [first], overrides: {}, idempotencyKey: 'clic-1' };

  const jobs = await Promise.all(Array.from({ length: 20 }, () => request(bench, batchRequest)));
  await jobsDone(bench.instance);

  assert.equal(new Set(jobs.map(({ batchId }) => batchId)).size, 1);
  assert.equal(guidesAsked(bench), 1);
  await refused('idempotency_key_reused', () =>
    request(bench, { ...batchRequest, lineIds: [second] }),
  );
  await refused('idempotency_key_reused', () =>
    request(bench, { ...batchRequest, overrides: { content: 'X' } }),
  );
});

test('a request for guides is checked before anything is stored', async (t) => {
  const bench = await openBench(t, 1);
  const [first = ''] = bench.lines;
  const batchRequest = { lineIds: [first], overrides: {}, idempotencyKey: 'k' };

  for (const [code, given] of [
    ['invalid_request', { lineIds: [] }],
    ['invalid_request', { lineIds: Array.from({ length: 51 }, () => crypto.randomUUID()) }],
    ['invalid_request', { lineIds: [first, first] }],
    ['invalid_request', { idempotencyKey: ' ' }],
    ['invalid_request', { overrides: { weight: '1' } }],
    ['invalid_request', { overrides: { product_id: 'x' } }],
    ['not_found', { lineIds: [crypto.randomUUID()] }],
    ['not_found', { lineIds: ["' or 1=1"] }],
  ] as const)
    await refused(code, () => request(bench, { ...batchRequest, ...given }));
  await refused('insufficient_role', () => request(bench, batchRequest, MEMBER));
  assert.deepEqual(
    await query(bench.instance, `select id from guide_batches where ${OURS}`, ours(bench)),
    [],
  );
});

test('the job reports its progress while it runs, and its result stays', async (t) => {
  const bench = await openBench(t, 2);
  const job = await accept(bench, bench.lines);

  const before = presentBatch(await read(bench, (scope) => batchById(scope, job.batchId)));
  const after = presentBatch(await runGuides(bench.instance.app.exchange, job));

  assert.deepEqual([before.state, before.summary.pending], ['running', 2]);
  assert.deepEqual([after.state, after.summary.pending], ['done', 0]);
});

// When the answer is lost

test('an attempt is committed as sent before the carrier hears of it', async (t) => {
  const bench = await openBench(t, 1);
  const seen: unknown[] = [];
  const { network } = bench.instance.app.exchange;
  const watching = {
    ...bench.instance.app.exchange,
    network: {
      ...network,
      async send(...[outgoing, reach]: Parameters<typeof network.send>) {
        if (/\/v1\/guia$/.test(outgoing.url))
          seen.push(
            ...(await query(
              bench.instance,
              `select state, sent_at is null as early from guide_attempts where ${OURS}`,
              ours(bench),
            )),
          );
        return network.send(outgoing, reach);
      },
    },
  };

  await runGuides(watching, await accept(bench, bench.lines));

  assert.deepEqual(seen, [{ state: 'sent', early: false }]);
});

test('a guide whose answer was lost is found in the carrier’s listing by our reference', async (t) => {
  const bench = await openBench(t, 1);
  bench.carrier.faults.next({ kind: 'reset', match: MAKE });

  const { lines } = await generate(bench);

  const [parcel] = bench.carrier.parcels();
  assert.deepEqual(
    [lines[0]?.outcome, lines[0]?.attempt?.trackingNumber, lines[0]?.attempt?.state],
    ['generated', parcel?.tracking, 'ok'],
  );
  assert.equal(guidesAsked(bench), 1);
});

test('what is not in the listing stays unknown: it is looked up again and never sent again', async (t) => {
  const bench = await openBench(t, 2);
  bench.carrier.faults.next({ kind: 'garbage', match: MAKE });
  hideFromListing(bench);

  const first = await generate(bench);
  const second = await generate(bench);

  assert.deepEqual(
    [first, second].map(({ lines }) => lines.map(({ outcome }) => outcome)),
    [
      ['unknown', 'generated'],
      ['unknown', 'already_generated'],
    ],
  );
  assert.equal(first.lines[0]?.errorCode, 'guide_outcome_unknown');
  assert.equal(guidesAsked(bench), 2);
  const [alert] = await alertsOf(bench.instance, bench.instance.organization.id);
  assert.deepEqual([alert?.kind, alert?.subject], ['guide_unknown', first.lines[0]?.attempt?.id]);
  await refused('guide_outcome_unknown', () =>
    act(bench, (scope) => transferLine(scope, PACKER, bench.lines[0] as string)),
  );
});

test('an unknown guide that the listing shows later is the line’s', async (t) => {
  const bench = await openBench(t, 1);
  const attempt = await unknownAttempt(bench);
  const parcel = bench.carrier.document({ reference: attempt.reference });

  const { lines } = await generate(bench);

  assert.deepEqual(
    [lines[0]?.outcome, lines[0]?.attempt?.id, lines[0]?.attempt?.trackingNumber],
    ['generated', attempt.id, parcel.tracking],
  );
  assert.equal(guidesAsked(bench), 1);
  assert.deepEqual(await alertsOf(bench.instance, bench.instance.organization.id), []);
});

test('a process killed between sending and hearing leaves an unknown attempt, which is not sent again', async (t) => {
  const bench = await openBench(t, 1);
  const job = await accept(bench, bench.lines);
  const attempt = await dieAfterSending(bench, job);

  const batch = await runGuides(bench.instance.app.exchange, job);

  assert.deepEqual(
    [batch.lines[0]?.outcome, batch.lines[0]?.attempt?.id, batch.lines[0]?.attempt?.state],
    ['unknown', attempt.id, 'unknown'],
  );
  assert.equal(guidesAsked(bench), 0);
});

test('a process killed before sending leaves a queued attempt, which goes on', async (t) => {
  const bench = await openBench(t, 1);
  const job = await accept(bench, bench.lines);
  const batch = await read(bench, (scope) => batchById(scope, job.batchId));
  const begun = await act(bench, async (scope) =>
    beginAttempt(scope, batch, bench.lines[0] as string, { connectionId: bench.connectionId }),
  );
  assert.ok(begun.kind === 'send');

  const { lines } = await runGuides(bench.instance.app.exchange, job);

  assert.deepEqual([lines[0]?.outcome, lines[0]?.attempt?.id], ['generated', begun.attempt.id]);
  assert.equal(guidesAsked(bench), 1);
});

test('a batch whose jobs are gone goes on by itself for a day', async (t) => {
  const own = await openApp(lastFirst(t), { database: await freshDatabase() });
  const bench = await openBench(t, 1, own);
  const { batchId } = await accept(bench, bench.lines);

  await resumeGuides(own.app.exchange);
  await jobsDone(own);

  const { state, summary } = presentBatch(await read(bench, (scope) => batchById(scope, batchId)));
  assert.deepEqual([state, summary.generated], ['done', 1]);
});

test('after a day a batch ends without asking for a guide: what was sent is looked up, or waits for a person', {
  tags: ['slow'],
}, async (t) => {
  const own = await openApp(lastFirst(t), { database: await freshDatabase() });
  const bench = await openBench(t, 4, own);
  const { batchId } = await accept(bench, bench.lines);
  const [lost = '', made = '', queued = ''] = bench.lines;
  const sent = await dieAfterSending(bench, { batchId }, lost);
  const found = await dieAfterSending(bench, { batchId }, made);
  const parcel = bench.carrier.document({ reference: found.reference });
  const batch = await read(bench, (scope) => batchById(scope, batchId));
  await act(bench, (scope) => beginAttempt(scope, batch, queued, bench));
  own.clock.advance({ hours: 25 });

  await resumeGuides(own.app.exchange);
  await jobsDone(own);

  const { state, results } = presentBatch(await read(bench, (scope) => batchById(scope, batchId)));
  assert.equal(state, 'done');
  assert.deepEqual(
    results.map(({ outcome, tracking, error }) => [outcome, tracking, error?.code]),
    [
      ['unknown', null, 'guide_outcome_unknown'],
      ['generated', parcel.tracking, undefined],
      ['blocked', null, 'request_overdue'],
      ['blocked', null, 'request_overdue'],
    ],
  );
  assert.match(String(results[3]?.error?.message), /vuelve a generarla/);
  assert.equal(guidesAsked(bench), 0);
  const open = await alertsOf(own, own.organization.id);
  assert.deepEqual(
    open.map(({ kind, subject }) => [kind, subject]),
    [['guide_unknown', sent.id]],
  );
  await act(bench, (scope) => resolveAttempt(scope, PACKER, sent.id, { exists: false }));
  const again = await generate(bench);
  assert.deepEqual(
    again.lines.map(({ outcome }) => outcome),
    ['generated', 'already_generated', 'generated', 'generated'],
  );
});

test('an order that is cancelled between queueing and sending is not sent', async (t) => {
  const bench = await openBench(t, 1);
  const job = await accept(bench, bench.lines);
  const batch = await read(bench, (scope) => batchById(scope, job.batchId));
  const begun = await act(bench, (scope) =>
    beginAttempt(scope, batch, bench.lines[0] as string, { connectionId: bench.connectionId }),
  );
  assert.ok(begun.kind === 'send');
  await bench.instance.record([changed({ status: 'cancelled' })]);

  const isSent = await act(bench, (scope) => markSent(scope, batch, begun.attempt));

  const { lines } = await read(bench, (scope) => batchById(scope, job.batchId));
  assert.deepEqual(
    [isSent, lines[0]?.outcome, lines[0]?.attempt?.state],
    [false, 'blocked', 'failed'],
  );
});

test('an order that is cancelled while its guide is being made: the guide is kept, and an alert is raised', async (t) => {
  const bench = await openBench(t, 1);
  const job = await accept(bench, bench.lines);
  const attempt = await dieAfterSending(bench, job);
  bench.carrier.document({ reference: attempt.reference });
  await bench.instance.record([changed({ status: 'cancelled' })]);

  const { lines } = await runGuides(bench.instance.app.exchange, job);

  const line = await lineOf(bench.instance, '1');
  assert.deepEqual([lines[0]?.outcome, line.state], ['generated', 'cancelled']);
  const [alert] = await alertsOf(bench.instance, bench.instance.organization.id);
  assert.match(String(alert?.message), new RegExp(`su guía ${line.trackingNumber} sigue viva`));
});

test('a carrier that cannot be reached at all got no request, and the line may be tried again', async (t) => {
  const bench = await openBench(t, 1);
  await bench.carrier.close();

  const { lines } = await generate(bench);

  assert.deepEqual([lines[0]?.outcome, lines[0]?.errorCode], ['failed', 'upstream_error']);
  assert.match(lines[0]?.errorMessage ?? '', /no se pidió nada/);
});

test('an account that is no longer accepted got no request', async (t) => {
  const bench = await openBench(t, 1);
  bench.carrier.revoke();

  const { lines } = await generate(bench);

  assert.deepEqual([lines[0]?.outcome, guidesAsked(bench)], ['failed', 0]);
});

test('a person enters the number of an unknown guide, once', async (t) => {
  const bench = await openBench(t, 1);
  const { id } = await unknownAttempt(bench);
  const answer = { exists: true, trackingNumber: '21169999999', guideNumber: null } as const;

  await refused('insufficient_role', () =>
    act(bench, (scope) => resolveAttempt(scope, MEMBER, id, answer)),
  );
  await act(bench, (scope) => resolveAttempt(scope, PACKER, id, answer));
  await refused('attempt_already_settled', () =>
    act(bench, (scope) => resolveAttempt(scope, PACKER, id, answer)),
  );

  const line = await lineOf(bench.instance, '1');
  assert.deepEqual([line.trackingNumber, line.trackingSource], ['21169999999', 'guide']);
  assert.deepEqual(await alertsOf(bench.instance, bench.instance.organization.id), []);
  assert.deepEqual((await generate(bench)).lines[0]?.outcome, 'already_generated');
});

test('an order that the marketplace calls shipped before its guide’s number is known leaves with that number', async (t) => {
  const bench = await openBench(t, 1);
  const { id } = await unknownAttempt(bench);
  await bench.instance.record([changed({ status: 'shipped' })]);
  assert.equal((await lineOf(bench.instance, '1')).state, 'shipped_elsewhere');
  const answer = { exists: true, trackingNumber: '21169999999', guideNumber: null } as const;

  await act(bench, (scope) => resolveAttempt(scope, PACKER, id, answer));

  assert.equal((await lineOf(bench.instance, '1')).state, 'staged');
  await act(bench, (scope) => transferLine(scope, PACKER, bench.lines[0] as string));
  assert.equal((await lineOf(bench.instance, '1')).state, 'transferred');
});

test('once a person confirms that there is no guide, another one may be requested', async (t) => {
  const bench = await openBench(t, 1);
  const { id } = await unknownAttempt(bench);

  await act(bench, (scope) => resolveAttempt(scope, PACKER, id, { exists: false }));
  const { lines } = await generate(bench);

  assert.equal(
    (await read(bench, (scope) => attemptById(scope, id))).errorCode,
    'confirmed_absent',
  );
  assert.equal(lines[0]?.outcome, 'generated');
  assert.notEqual(lines[0]?.attempt?.id, id);
});

test('an answer that arrives after a person said that there is none raises an alert, and changes nothing', async (t) => {
  const bench = await openBench(t, 1);
  const attempt = await unknownAttempt(bench);
  await act(bench, (scope) => resolveAttempt(scope, PACKER, attempt.id, { exists: false }));
  const batch = { id: attempt.batchId, actor: OPERATOR };
  const guide = {
    tracking: '21168888888',
    guide: null,
    amount: null,
    availableBalance: null,
    raw: null,
  };

  await act(bench, (scope) => recordGuide(scope, batch, attempt, guide));

  assert.equal((await lineOf(bench.instance, '1')).trackingNumber, null);
  const [alert] = await alertsOf(bench.instance, bench.instance.organization.id);
  assert.equal(alert?.kind, 'guide_late_answer');
  assert.match(String(alert?.message), /21168888888/);
});

test('an order that arrives while its pack’s guide is being requested travels by itself', async (t) => {
  const bench = await openBench(t, 0);
  const { instance, connectionId } = bench;
  await instance.record([anOrder({ id: '1', packId: 'P' })]);
  const line = await lineOf(instance, '1');
  await readyForGuides(instance, [line]);
  const { batchId } = await accept(bench, [line.id]);
  const batch = await read(bench, (scope) => batchById(scope, batchId));

  await together(
    bench,
    async (scope) => {
      const begun = await beginAttempt(scope, batch, line.id, { connectionId });
      assert.equal(begun.kind, 'send');
    },
    () => instance.record([anOrder({ id: '2', packId: 'P' })]),
  );

  const parcels = (await linesOf(instance)).map(({ orders }) => orders.map(({ id }) => id));
  assert.deepEqual(parcels.sort(), [['1'], ['2']]);
});

test('a person and a look-up that settle one attempt at once do not stop each other', async (t) => {
  const bench = await openBench(t, 1);
  const attempt = await unknownAttempt(bench);
  const batch = { id: attempt.batchId, actor: OPERATOR };
  const fault = { code: 'guide_cancelled', message: 'La guía está cancelada.' };
  let runs = 0;

  await together(
    bench,
    async (scope) => {
      runs++;
      await lockLine(scope, attempt.lineId);
    },
    () =>
      act(bench, async (scope) => {
        runs++;
        await recordFailure(scope, batch, attempt, fault);
      }),
    (scope) => resolveAttempt(scope, PACKER, attempt.id, { exists: false }),
  );

  assert.equal(runs, 2);
  const settled = await read(bench, (scope) => attemptById(scope, attempt.id));
  assert.equal(settled.errorCode, 'confirmed_absent');
});

// Afterwards

test('labels that could not be had block no guide, and are fetched when they are printed', async (t) => {
  const bench = await openBench(t, 1);
  bench.carrier.faults.next({ kind: 'garbage', match: /infotrack|GenCartaPorte/, times: 20 });
  const [line] = (await generate(bench)).lines;
  assert.deepEqual(
    [line?.outcome, line?.attempt?.zpl, line?.attempt?.pdfBase64],
    ['generated', null, null],
  );
  bench.carrier.faults.stop();

  const printed = await guideLabels(bench.instance.app.exchange, job(bench, line?.attempt?.id));
  const asked = bench.carrier.requests.length;
  const again = await guideLabels(bench.instance.app.exchange, job(bench, line?.attempt?.id));

  assert.match(printed.zpl ?? '', /^\^XA/);
  assert.match(Buffer.from(printed.pdfBase64 ?? '', 'base64').toString('latin1'), /^%PDF-/);
  assert.deepEqual(again, printed);
  assert.equal(bench.carrier.requests.length, asked);
});

test('the label of a forgotten buyer is printed again, and not stored', async (t) => {
  const bench = await openBench(t, 1);
  const [line] = (await generate(bench)).lines;
  assert.equal(await textsStored(bench), 1);
  await forgetBuyer(bench.instance.app.exchange, accountOf(bench), ['1']);

  const printed = await guideLabels(bench.instance.app.exchange, job(bench, line?.attempt?.id));

  assert.match(printed.zpl ?? '', /^\^XA/);
  assert.match(Buffer.from(printed.pdfBase64 ?? '', 'base64').toString('latin1'), /^%PDF-/);
  assert.equal(await textsStored(bench), 0);
});

test('a label that arrives while its buyer is being forgotten is not stored', async (t) => {
  const bench = await openBench(t, 1);
  bench.carrier.faults.next({ kind: 'garbage', match: /infotrack|GenCartaPorte/, times: 20 });
  const [line] = (await generate(bench)).lines;
  bench.carrier.faults.stop();

  await together(
    bench,
    (scope) => forgetDestinations(scope, accountOf(bench), ['1']),
    () => guideLabels(bench.instance.app.exchange, job(bench, line?.attempt?.id)),
  );

  assert.equal(await textsStored(bench), 0);
});

test('a supervisor cancels a guide before it is collected, and the line may have another one', async (t) => {
  const bench = await openBench(t, 1);
  const [line] = (await generate(bench)).lines;
  const asked = job(bench, line?.attempt?.id);

  await refused('insufficient_role', () =>
    cancelGuide(bench.instance.app.exchange, { ...asked, actor: PACKER }),
  );
  await cancelGuide(bench.instance.app.exchange, asked);
  const after = await lineOf(bench.instance, '1');
  const another = (await generate(bench)).lines[0];

  assert.deepEqual([after.trackingNumber, after.carrier, after.state], [null, null, 'staged']);
  assert.equal(another?.outcome, 'generated');
  assert.notEqual(another?.attempt?.trackingNumber, line?.attempt?.trackingNumber);
  await refused('guide_not_cancellable', () => cancelGuide(bench.instance.app.exchange, asked));
});

test('a shipped order whose guide is cancelled gets no second guide', async (t) => {
  const bench = await openBench(t, 1);
  const [line] = (await generate(bench)).lines;
  await bench.instance.record([changed({ status: 'shipped' })]);

  await cancelGuide(bench.instance.app.exchange, job(bench, line?.attempt?.id));
  const [again] = (await generate(bench)).lines;

  const { state, trackingNumber } = await lineOf(bench.instance, '1');
  assert.deepEqual([state, trackingNumber], ['shipped_elsewhere', null]);
  assert.deepEqual([again?.outcome, again?.errorCode], ['blocked', 'transition_not_allowed']);
  assert.equal(guidesAsked(bench), 1);
});

test('a guide that is cancelled already, by a request whose answer was lost or elsewhere, is cancelled here too', {
  tags: ['slow'],
}, async (t) => {
  const bench = await openBench(t, 2);
  const [lost, elsewhere] = (await generate(bench)).lines;
  const { exchange } = bench.instance.app;

  bench.carrier.faults.next({ kind: 'lost_answer', match: CANCEL });
  await cancelGuide(exchange, job(bench, lost?.attempt?.id));
  assert.equal(bench.carrier.calls(CANCEL), 1, 'it was not asked twice');

  bench.carrier.happen(String(elsewhere?.attempt?.trackingNumber), 'CWB');
  await cancelGuide(exchange, job(bench, elsewhere?.attempt?.id));
  const again = await generate(bench);
  assert.deepEqual(
    again.lines.map(({ outcome }) => outcome),
    ['generated', 'generated'],
  );
});

test('a session of guides that cannot be opened leaves no line unknown', {
  tags: ['slow'],
}, async (t) => {
  const bench = await openBench(t, 1);
  for (const kind of ['server_error', 'lost_answer', 'garbage'] as const) {
    bench.carrier.faults.next({ kind, match: LOGIN, times: 20 });
    const [line] = (await generate(bench)).lines;
    bench.carrier.faults.stop();
    assert.deepEqual([line?.outcome, line?.errorCode], ['failed', 'upstream_error'], kind);
    bench.instance.clock.advance({ minutes: 10 });
  }
});

test('a line that is transferred while its guide is being cancelled comes back to preparation', async (t) => {
  const bench = await openBench(t, 1);
  const [line] = (await generate(bench)).lines;
  const { exchange } = bench.instance.app;
  const { network } = exchange;
  let hasLeft = false;
  const send: typeof network.send = async (outgoing, reach) => {
    if (!hasLeft)
      await act(bench, (scope) => transferLine(scope, PACKER, bench.lines[0] as string));
    hasLeft = true;
    return network.send(outgoing, reach);
  };

  const asked = job(bench, line?.attempt?.id);
  await cancelGuide({ ...exchange, network: { ...network, send } }, asked);
  const { state, trackingNumber, transferredAt } = await lineOf(bench.instance, '1');

  assert.deepEqual([hasLeft, state, trackingNumber, transferredAt], [true, 'staged', null, null]);
});

test('a guide that was collected is not cancelled, and one of a line that left is not either', async (t) => {
  const bench = await openBench(t, 2);
  const batch = await generate(bench);
  const [one, two] = batch.lines.map(({ attempt }) => job(bench, attempt?.id));
  await act(bench, (scope) => transferLine(scope, PACKER, bench.lines[1] as string));
  bench.instance.clock.advance({ hours: 24 });

  const error = await refused('guide_not_cancellable', () =>
    cancelGuide(bench.instance.app.exchange, one as never),
  );
  await refused('transition_not_allowed', () =>
    cancelGuide(bench.instance.app.exchange, two as never),
  );

  assert.match(error.message, /ya fue recolectada/);
  assert.equal(
    (await lineOf(bench.instance, '1')).trackingNumber,
    batch.lines[0]?.attempt?.trackingNumber,
  );
});

test('a line with a guide keeps its packages and its destination, and takes no other number', async (t) => {
  const bench = await openBench(t, 1);
  await generate(bench);
  const [id = ''] = bench.lines;

  await refused('transition_not_allowed', () =>
    act(bench, (scope) => setPackages(scope, PACKER, id, 2)),
  );
  await refused('transition_not_allowed', () =>
    act(bench, (scope) => setDestination(scope, PACKER, id, ADDRESS)),
  );
  await refused('transition_not_allowed', () =>
    act(bench, (scope) => setTracking(scope, PACKER, id, { trackingNumber: '1', carrier: 'x' })),
  );
});

test('guides go to the address of the settings, everything else to the carrier’s own', async (t) => {
  const bench = await openBench(t, 1);
  const other = await startPaquetexpress({
    now: () => bench.instance.clock.now().epochMilliseconds,
  });
  t.after(() => other.close());
  await refused('invalid_request', () =>
    act(bench, (scope) =>
      changeSettings(scope, { ...SUPERVISOR, role: 'owner' }, { guide_url: other.url }),
    ),
  );
  await act(bench, (scope) => changeSettings(scope, OPERATOR, { guide_url: other.url }));

  const { lines } = await generate(bench);

  assert.equal(lines[0]?.outcome, 'generated');
  assert.deepEqual([guidesAsked(bench), other.parcels().length], [0, 1]);
  // Where the carrier's own host is the public one.
  const parts = { ...bench.instance.app.exchange, baseUrls: {} };
  const connection = { service: 'paquetexpress', baseUrl: null };
  for (const [guide, addresses] of [
    [other.url, 'any'],
    ['https://qa.example.com', 'public'],
  ] as const)
    assert.equal(reachOf(parts, connection, { guide }).addresses, addresses);
});

test('customers are notified of each guide once', async (t) => {
  const bench = await openBench(t, 1);
  await generate(bench);
  await generate(bench);

  const events = await query(
    bench.instance,
    `select type, data from events where ${OURS} and type like 'guide.%'`,
    ours(bench),
  );

  assert.equal(events.length, 1);
  const data = JSON.parse(String(events[0]?.data));
  const [parcel] = bench.carrier.parcels();
  assert.deepEqual(
    [data.order_ids, data.tracking, data.guide, data.amount, data.carrier, data.error],
    [['1'], parcel?.tracking, parcel?.guide, Number(parcel?.amount), 'paquetexpress', null],
  );
});

async function openBench(t: TestContext, orders: number, own?: TestApp): Promise<Bench> {
  const instance = own ?? (await shared.another());
  const carrier = await startPaquetexpress({ now: () => instance.clock.now().epochMilliseconds });
  t.after(() => carrier.close().catch(() => {}));
  const ids = Array.from({ length: orders }, (_, at) => String(at + 1));
  if (orders > 0) await instance.record(ids.map((id) => anOrder({ id })));
  const lines = await Promise.all(ids.map((id) => lineOf(instance, id)));
  await readyForGuides(instance, lines);
  const connectionId = await connectTo(instance, carrier);
  return { instance, carrier, lines: lines.map(({ id }) => id), connectionId };
}

async function connectTo(instance: TestApp, carrier: Paquetexpress): Promise<string> {
  const { connectionId } = await connect(instance.app.exchange, {
    organizationId: instance.organization.id,
    service: 'paquetexpress',
    credentials: carrier.credentials(),
    baseUrl: carrier.url,
  });
  return connectionId;
}

/** Another account of the organisation at the carrier. */
async function openSecondAccount(t: TestContext, { instance }: Bench): Promise<Paquetexpress> {
  const second = await startPaquetexpress({
    username: 'TIENDA02',
    now: () => instance.clock.now().epochMilliseconds,
  });
  t.after(() => second.close().catch(() => {}));
  await connectTo(instance, second);
  return second;
}

async function record(
  { instance }: Bench,
  id: string,
  sku: string,
  { destination = true } = {},
): Promise<void> {
  const [item] = anOrder().items;
  await instance.record([anOrder({ id, items: [{ ...(item as never as object), sku } as never] })]);
  const line = await lineOf(instance, id);
  if (destination)
    await instance.app.database
      .within(instance.organization.id)
      .write((scope) => setDestination(scope, OPERATOR, line.id, ADDRESS));
}

/** `second` begins, and waits for a lock, before the transaction of `first` goes on and ends. */
async function together(
  bench: Bench,
  first: (scope: WriteScope) => Promise<void>,
  second: () => Promise<unknown>,
  then: (scope: WriteScope) => Promise<unknown> = async () => {},
): Promise<void> {
  const hasBegun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const held = act(bench, async (scope) => {
    await first(scope);
    hasBegun.resolve();
    await mayEnd.promise;
    await then(scope);
  });
  await Promise.race([hasBegun.promise, held]);
  const waiting = second();
  await someoneWaits(bench.instance.app.database);
  mayEnd.resolve();
  await Promise.all([held, waiting]);
}

/** The seller's account at the marketplace of `anOrder`. */
function accountOf({ instance, connectionId }: Bench) {
  const { marketplace, accountId } = anOrder();
  return { marketplace, accountId, organizationId: instance.organization.id, id: connectionId };
}

/** How many attempts have a stored request or label. */
async function textsStored(bench: Bench): Promise<number> {
  const text = `select from guide_attempts where ${OURS}
    and (coalesce(request, zpl, pdf_base64) is not null
      or coalesce(request_box, zpl_box, pdf_box) is not null)`;
  return (await query(bench.instance, text, ours(bench))).length;
}

/** The order of the first line, as it is a day later. */
function changed(given: Partial<Order>): Order {
  const at = Temporal.Instant.from('2026-11-16T12:00:00Z');
  return anOrder({ id: '1', ...given, changedAt: at, fetchedAt: at });
}

let keys = 0;

async function accept(
  { instance }: Bench,
  lineIds: readonly string[],
  overrides: object = {},
  accountId: string | null = null,
): Promise<BatchJob> {
  const organizationId = instance.organization.id;
  const batchRequest = { lineIds, overrides, accountId, idempotencyKey: `key ${++keys}` };
  const { batchId } = await instance.app.database
    .within(organizationId)
    .write((scope) => acceptBatch(scope, PACKER, batchRequest));
  return { organizationId, batchId };
}

/** Stores a batch and processes it here. */
async function generate(
  bench: Bench,
  {
    lineIds = bench.lines,
    overrides = {},
    accountId = null,
  }: { lineIds?: readonly string[]; overrides?: object; accountId?: string | null } = {},
): Promise<Batch> {
  return runGuides(bench.instance.app.exchange, await accept(bench, lineIds, overrides, accountId));
}

/** As a person presses the button: a worker of the instance does the rest. */
function request(
  { instance }: Bench,
  batchRequest: Parameters<typeof requestGuides>[3],
  actor: Actor = PACKER,
) {
  const { database, exchange } = instance.app;
  return database
    .within(instance.organization.id)
    .write((scope) => requestGuides(scope, exchange, actor, batchRequest));
}

/** What a killed process leaves: sent, with a lost answer. */
async function dieAfterSending(
  bench: Bench,
  { batchId }: Pick<BatchJob, 'batchId'>,
  lineId = bench.lines[0] as string,
) {
  const batch = await read(bench, (scope) => batchById(scope, batchId));
  const begun = await act(bench, (scope) =>
    beginAttempt(scope, batch, lineId, { connectionId: bench.connectionId }),
  );
  assert.ok(begun.kind === 'send');
  await act(bench, (scope) => markSent(scope, batch, begun.attempt));
  return begun.attempt;
}

async function unknownAttempt(bench: Bench) {
  bench.carrier.faults.next({ kind: 'server_error', match: MAKE });
  const [line] = (await generate(bench)).lines;
  assert.ok(line?.outcome === 'unknown' && line.attempt);
  return line.attempt;
}

/** The listing is late: what was just made is not in it. */
function hideFromListing({ carrier }: Bench): void {
  carrier.faults.next({ kind: 'garbage', match: LOOK_UP, times: 100 });
}

function ours({ instance }: Bench): readonly [string] {
  return [instance.organization.id];
}

function guidesAsked({ carrier }: Bench): number {
  return carrier.requests.filter(({ method, path }) => GUIDE.test(`${method} ${path}`)).length;
}

async function eventsOf(bench: Bench): Promise<unknown[]> {
  const text = `select type from events where ${OURS} and type like 'guide.%' order by type`;
  return (await query(bench.instance, text, ours(bench))).map(({ type }) => type);
}

function job({ instance }: Bench, attemptId: string | undefined) {
  assert.ok(attemptId);
  return { organizationId: instance.organization.id, attemptId, actor: SUPERVISOR };
}

function act<T>({ instance }: Bench, work: (scope: WriteScope) => Promise<T>): Promise<T> {
  return instance.app.database.within(instance.organization.id).write(work);
}

function read<T>({ instance }: Bench, work: (scope: WriteScope) => Promise<T>): Promise<T> {
  return instance.app.database.within(instance.organization.id).write(work);
}

async function refused(code: string, work: () => Promise<unknown>): Promise<Failure> {
  const error = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Failure, `no failure: ${error}`);
  assert.equal(error.code, code);
  return error;
}
