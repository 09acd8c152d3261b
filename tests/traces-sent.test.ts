import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCaller } from './reliability/support/api.ts';
import { connectShop } from './reliability/support/commands.ts';
import { openGround } from './reliability/support/ground.ts';
import { notice, openPlace, openShop } from './reliability/support/place.ts';
import {
  endOf,
  eventually,
  lastFirst,
  MASTER_KEY,
  startInstance,
} from './reliability/support/processes.ts';
import { within } from './reliability/support/profile.ts';
import { noSdk, openSpanReceiver, type Span } from './support/spans.ts';

// Traces as docs/running.md has them sent: the SDK of OpenTelemetry, loaded before the program, and
// a receiver of OTLP over HTTP.

const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const ARRIVED_WITHIN_MS = within(30_000);
const REQUESTS = 200;
const ANSWERED_WITHIN_MS = within(1_000);
const GONE_WITHIN_MS = within(15_000);

test('a request, a sync run and a webhook arrive as joined spans without secrets; a receiver that is away delays nothing', {
  skip: noSdk,
  timeout: 180_000,
}, async (context) => {
  const own = lastFirst(context);
  const { env, databaseUrl, id, key } = await openPlace(own, await openGround(own));
  const shop = await openShop(own, 3);
  const receiver = await openSpanReceiver(own);
  const instance = await startInstance(own, { ...env, ...receiver.env });
  await connectShop(own, env, id, shop);
  const caller = openCaller(instance.url, key, 8);
  own.after(caller.close);
  const named = (name: string) => receiver.spans.filter((span) => span.name === name);
  const arrives = (what: string, isThere: () => boolean) =>
    eventually(isThere, ARRIVED_WITHIN_MS).then((isSo) =>
      assert.ok(isSo, `no span ${what}: ${[...new Set(receiver.spans.map(({ name }) => name))]}`),
    );

  const traceparent = `00-${CALLER.trace}-${CALLER.span}-01`;
  const answer = await caller.get('/v1/orders?limit=7', { traceparent });
  const pushed = await caller.post('/api/webhooks/mercado_libre', notice(shop, 1));
  assert.deepEqual([answer.status, pushed.status], [200, 200]);
  const isChildOf = (parent: Span) => (span: Span) =>
    span.traceId === parent.traceId && span.parentSpanId === parent.spanId;
  const calls = (job: string) =>
    named('call mercado_libre').filter((call) => named(job).some((one) => isChildOf(one)(call)));
  await arrives('GET /v1', () => named('GET /v1').length > 0);
  await arrives('POST /api/webhooks/', () => named('POST /api/webhooks/').length > 0);
  await arrives('of a call in a sync run', () => calls('job sync').length > 0);
  await arrives('of a call for a webhook', () => calls('job hint').length > 0);

  const [listed] = named('GET /v1') as [Span];
  assert.deepEqual([listed.traceId, listed.parentSpanId], [CALLER.trace, CALLER.span]);
  assert.equal(attribute(listed, 'tianguis.request'), answer.headers['x-request-id']);
  const sent = receiver.bodies.join('\n');
  const secrets = [key, MASTER_KEY, databaseUrl, shop.url, ...tokensOf(shop.credentials())];
  for (const secret of ['limit=7', '/orders/', 'traceparent', ...secrets])
    assert.ok(!sent.includes(secret), `a span has ${secret.slice(0, 12)}…`);

  for (const how of ['breaks', 'hangs'] as const) {
    const before = receiver.unanswered();
    receiver.behave(how);
    const answers = Array.from({ length: REQUESTS }, () => caller.get('/v1/me'));
    for (const { status, milliseconds } of await Promise.all(answers)) {
      assert.equal(status, 200);
      assert.ok(milliseconds <= ANSWERED_WITHIN_MS, `${milliseconds} ms while it ${how}`);
    }
    await arrives('sent in vain', () => receiver.unanswered() > before);
  }
  instance.child.kill('SIGTERM');
  assert.equal(await endOf(instance, GONE_WITHIN_MS), 0, instance.lines.slice(-5).join('\n'));
});

function attribute({ attributes }: Span, key: string): unknown {
  return attributes.find((one) => one.key === key)?.value.stringValue;
}

/** The texts of credentials that are long enough to be found by chance nowhere. */
function tokensOf(credentials: object): string[] {
  return Object.values(credentials).filter(
    (value): value is string => typeof value === 'string' && value.length >= 16,
  );
}
