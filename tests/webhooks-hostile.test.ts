import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setDefaultCACertificates } from 'node:tls';
import { markWell, saveConnection, setState } from '../src/features/connections/index.ts';
import { type Order, recordOrders } from '../src/features/orders/index.ts';
import {
  createEndpoint,
  EVENT_TYPES,
  emit,
  type OutgoingEvent,
} from '../src/features/webhooks-out/index.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder } from './support/app.ts';
import { runHere } from './support/command.ts';
import { openEndpoint } from './support/endpoint.ts';
import { query, workOff } from './support/market.ts';
import { answerNames } from './support/names.ts';
import { openMailingInstance, openTeam, type Team } from './support/people.ts';
import { openRawEndpoint, openTlsEndpoint, ownCertificate } from './support/raw-endpoint.ts';
import { mailsTo } from './support/visitor.ts';

// Hostile and failing endpoints, and the messages about them.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
const { clock } = instance;

test('one that hangs and one that trickles end after fifteen seconds, as timeouts that pause them', {
  tags: ['slow'],
}, async (t) => {
  const shop = await openShop();
  const [hanging, trickling] = [await openEndpoint(t), await openEndpoint(t)];
  hanging.answer = () => {};
  trickling.answer = (response) => trickle(response);
  await shop.endpoint(hanging.url);
  await shop.endpoint(trickling.url);
  await shop.emit({ type: 'order.created', data: '{"id":"1"}' });

  await workOff(instance);

  assert.deepEqual(await shop.attempts(), [
    { outcome: 'timeout', status: null },
    { outcome: 'timeout', status: null },
  ]);
  const paused = await shop.rows('select 1 from webhook_endpoints where paused_until is not null');
  assert.equal(paused.length, 2);
});

test('of an answer of a hundred megabytes no more than its beginning is read', async (t) => {
  const shop = await openShop();
  const endpoint = await openEndpoint(t);
  let sent = 0;
  endpoint.answer = async (response) => {
    response.writeHead(200, { 'content-length': 100_000_000 });
    const part = Buffer.alloc(1_000_000, 'x');
    while (sent < 100 && !response.destroyed) {
      sent += 1;
      if (!response.write(part)) await Promise.race([drained(response), closed(response)]);
    }
  };
  await shop.endpoint(endpoint.url);
  await shop.emit({ type: 'order.created', data: '{"id":"1"}' });
  await workOff(instance);

  assert.deepEqual(await shop.attempts(), [{ outcome: 'delivered', status: 200 }]);
  assert.ok(sent < 30, `${sent} MB were taken`);
});

test('the page says what was wrong with a certificate, a connection or an answer', {
  tags: ['slow'],
}, async (t) => {
  const [known, strange] = [ownCertificate('localhost', '400101'), ownCertificate('a', '400101')];
  const expired = ownCertificate('localhost', '210101');
  const other = ownCertificate('otra.example', '400101');
  setDefaultCACertificates([known.cert, expired.cert, other.cert]);
  t.after(() => setDefaultCACertificates([]));
  const raw = (text: string) => openRawEndpoint(t, (socket) => socket.end(text));
  const alert = String.fromCharCode(21, 3, 1, 0, 2, 2, 70);
  const endless = await openRawEndpoint(t, (socket) => {
    const head = `x-a: ${'b'.repeat(500)}\r\n`;
    socket.write('HTTP/1.1 200 OK\r\n');
    const more = () => socket.writable && socket.write(head) && setTimeout(more, 1);
    more();
  });
  const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const cases = [
    ['Entregado HTTP 204', await openTlsEndpoint(t, known)],
    ['Entregado HTTP 200', await raw(`${hints}${hints}HTTP/1.1 200 OK\r\n\r\n`)],
    ['El certificado no es de una autoridad reconocida', await openTlsEndpoint(t, strange)],
    ['El certificado venció o aún no es válido', await openTlsEndpoint(t, expired)],
    ['El certificado es de otro dominio', await openTlsEndpoint(t, other)],
    [
      'No se pudo cifrar la conexión con TLS 1.2 o posterior',
      (await raw(alert)).replace('http', 'https'),
    ],
    [
      'Envió 100 o 101 sin que se lo pidiéramos',
      await raw('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'),
    ],
    [
      'La conexión se cortó antes del final de la respuesta HTTP 200',
      await raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'),
    ],
    ['La conexión se cortó antes del final de la respuesta', await raw('')],
    ['La respuesta no es HTTP válido', await raw('SSH-2.0-OpenSSH\r\n')],
    ['Encabezados demasiado grandes', endless],
    ['No se pudo conectar', 'http://127.0.0.1:1/hook'],
  ] as const;

  const shown = [];
  for (const [, url] of cases) {
    const shop = await openShop();
    const { id } = await shop.endpoint(url);
    await shop.emit({ type: 'order.created', data: '{"id":"1"}' });
    await workOff(instance);
    const page = await shop.team.owner.visitor.get(
      `/cuenta/webhooks/endpoint?organizacion=${shop.organizationId}&endpoint=${id}`,
    );
    const [, word, status] =
      /<span class="mark \w+">([^<]+)<\/span>( HTTP \d+)? · /.exec(page.text) ?? [];
    shown.push(`${word}${status ?? ''}`);
  }

  assert.deepEqual(
    shown,
    cases.map(([word]) => word),
  );
});

test('a name with one address inside is refused whole, whatever its other one is', async (t) => {
  const shop = await openShop();
  const asked = answerNames(t, () => ['93.184.216.34', '10.0.0.7']);
  await shop.within.write((scope) =>
    createEndpoint(scope, 'operator', { url: 'https://tienda.example/hook' }, 5),
  );
  await shop.emit({ type: 'order.created', data: '{"id":"1"}' });
  await workOff(instance);

  assert.deepEqual(await shop.attempts(), [{ outcome: 'refused_address', status: null }]);
  assert.ok(asked.includes('tienda.example'));
});

test('a suspended organisation receives no events until it is resumed', async (t) => {
  const shop = await openShop();
  const endpoint = await openEndpoint(t);
  await shop.endpoint(endpoint.url);
  await shop.suspend(true);
  await shop.emit({ type: 'order.created', data: '{"id":"1"}' });
  await workOff(instance);
  const meanwhile = endpoint.deliveries.length;
  await shop.suspend(false);
  clock.advance({ seconds: 61 });
  // So long its lease is over by the database's clock.
  await shop.rows("update webhook_deliveries set leased_until = now() - interval '31 seconds'");
  await workOff(instance);

  assert.deepEqual([meanwhile, endpoint.deliveries.length], [0, 1]);
});

test('a mail reports an endpoint that was disabled, and an event that was given up, once each', async (t) => {
  const shop = await openShop();
  const [gone, failing] = [await openEndpoint(t), await openEndpoint(t)];
  gone.answer = (response) => response.writeHead(410).end();
  failing.answer = (response) => response.writeHead(500).end();
  await shop.endpoint(gone.url);
  await shop.endpoint(failing.url);
  const before = (await mailsTo(folder, shop.team.owner.email, 1)).length;
  await shop.emit({ type: 'order.created', data: '{"id":"1"}' });
  await workOff(instance);
  await shop.rows('update webhook_deliveries set tries = 7, due_at = now()');
  clock.advance({ seconds: 10 });
  await workOff(instance);

  const mails = (await mailsTo(folder, shop.team.owner.email, before + 2)).slice(before);
  assert.equal(mails.length, 2);
  assert.ok(
    mails.some((mail) => /ya no quiere recibir eventos, así que quedó desactivado/.test(mail)),
  );
  assert.ok(mails.some((mail) => /no confirmó un evento en ninguno de los 8 intentos/.test(mail)));
});

test('every event has a sequence that grows, and a change says what changed', async (t) => {
  const shop = await openShop();
  const endpoint = await openEndpoint(t);
  await shop.endpoint(endpoint.url);
  await shop.change(anOrder({ id: '1', status: 'paid' }));
  await shop.change(anOrder({ id: '1', status: 'shipped' }));
  await shop.emit({ type: 'guide.failed', data: '{"line_id":"1"}' });
  const id = await shop.connection();
  await shop.within.write((scope) => setState(scope, id, 'error', 'No responde.'));
  await workOff(instance);

  const bodies = endpoint.deliveries.map(({ body }) => body);
  const sequences = bodies.map(({ sequence }) => sequence);
  assert.equal(bodies.length, 4);
  assert.ok(sequences.every((one) => /^2\d{3}-.*\.\d{6}Z$/.test(one)));
  assert.deepEqual(
    bodies.map(({ type, changed }) => [type, changed?.includes('status') ?? false]).toSorted(),
    [
      ['connection.status_changed', true],
      ['guide.failed', false],
      ['order.created', true],
      ['order.status_changed', true],
    ],
  );
  const [created, moved] = ['order.created', 'order.status_changed'].map(
    (type) => bodies.find((body) => body.type === type)?.sequence,
  );
  assert.ok(created < moved);
});

test('an event of every type has its sequence, and says what changed where something did', async (t) => {
  const shop = await openShop();
  const endpoint = await openEndpoint(t);
  await shop.endpoint(endpoint.url);
  const change = { changed: ['status'], previousStatus: 'paid' };
  for (const type of EVENT_TYPES) {
    await shop.emit({ type, data: '{"endpoint_id":"another"}' });
    await shop.emit({ type, data: '{"endpoint_id":"another"}', ...change });
  }
  await workOff(instance);

  const bodies = endpoint.deliveries.map(({ body }) => body);
  const inOrder = bodies.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1));
  assert.equal(new Set(bodies.map(({ sequence }) => sequence)).size, EVENT_TYPES.length * 2);
  assert.deepEqual(
    inOrder.map(({ type, changed, previous_status }) => [type, changed, previous_status]),
    EVENT_TYPES.flatMap((type) => [
      [type, undefined, undefined],
      [type, ['status'], 'paid'],
    ]),
  );
});

test('a change of a connection’s state is one event, and what changes nothing is none', async (t) => {
  const shop = await openShop();
  const endpoint = await openEndpoint(t);
  await shop.endpoint(endpoint.url);
  const id = await shop.connection();
  for (const state of ['error', 'error', 'reauth_required'] as const)
    await shop.within.write((scope) => setState(scope, id, state, 'Conéctala de nuevo.'));
  await shop.within.write((scope) => markWell(scope, id));
  await shop.within.write((scope) => markWell(scope, id));
  await shop.connection();
  await workOff(instance);

  const reported = endpoint.deliveries.map(({ body }) => [body.previous_status, body.data.status]);
  assert.deepEqual(reported.toSorted(), [
    ['error', 'reauth_required'],
    ['ok', 'error'],
    ['reauth_required', 'ok'],
  ]);
  const { data } = endpoint.deliveries[0]?.body ?? {};
  assert.deepEqual([data.id, data.marketplace, data.account_id], [id, 'woocommerce', 'tienda']);
});

test('own headers that the command line gave go along, and those of ours are refused', async (t) => {
  const shop = await openShop();
  const endpoint = await openEndpoint(t);
  const words = ['create-webhook-endpoint', '--organization', shop.organizationId];
  const make = (headers: string) =>
    runHere(
      [...words, '--url', endpoint.url, '--operator-trusted', '--headers', headers, '--json'],
      instance.env,
    );

  const reserved = await make('{"Webhook-Id":"x"}');
  const rubbish = await make('x-tienda=centro');
  const made = await make('{"X-Tienda":"centro"}');
  await shop.emit({ type: 'order.created', data: '{"id":"1"}' });
  await workOff(instance);

  assert.deepEqual([reserved.code, rubbish.code, made.code], [1, 1, 0]);
  assert.equal(endpoint.deliveries[0]?.headers['x-tienda'], 'centro');
  const [row] = await shop.rows('select headers_box from webhook_endpoints');
  assert.equal(Buffer.from(row?.headers_box as Buffer).includes('centro'), false);
});

function trickle(response: ServerResponse): void {
  response.writeHead(200);
  const drip = async () => {
    while (!response.destroyed) {
      response.write('.');
      await pause(500);
    }
  };
  void drip();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('drain', () => resolve()));
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('close', () => resolve()));
}

async function openShop() {
  const team: Team = await openTeam(instance, folder);
  const organizationId = team.organizacion;
  const words = ['set-plan', '--organization', organizationId, '--plan', 'avanzado', '--json'];
  assert.equal((await runHere(words, instance.env)).code, 0);
  const within = instance.app.database.within(organizationId);
  const rows = (sql: string) =>
    query(
      instance,
      `${sql} ${sql.includes('where') ? 'and' : 'where'} organization_id = '${organizationId}'`,
    );
  return {
    ...{ team, organizationId, within, rows },
    emit: (event: OutgoingEvent) => within.write((scope) => emit(scope, [event])),
    change(order: Order) {
      const { orderListeners, announce } = instance.app.exchange;
      return within.write((scope) => recordOrders(scope, [order], [...orderListeners, announce]));
    },
    endpoint: (url: string) =>
      within.write((scope) =>
        createEndpoint(scope, 'operator', { url, isOperatorTrusted: true }, 5),
      ),
    attempts: () => rows('select outcome, status from webhook_attempts'),
    suspend: (isSuspended: boolean) =>
      query(instance, 'update organizations set suspended_at = $2 where id = $1', [
        organizationId,
        isSuspended ? clock.now().toString() : null,
      ]),
    connection: () =>
      within.write((scope) =>
        saveConnection(scope, instance.app.exchange.keyring, {
          ...{ service: 'woocommerce', accountId: 'tienda', name: 'Mi tienda', baseUrl: null },
          ...{ credentials: { key: 'x' }, credentialsExpireAt: null },
        }),
      ),
  };
}
