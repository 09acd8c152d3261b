import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Context,
  INVALID_SPAN_CONTEXT,
  type Span,
  type SpanOptions,
  trace,
} from '@opentelemetry/api';
import { openApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { connectAccount, openMarket, workOff } from './support/market.ts';
import { freshDatabase } from './support/server.ts';

// Spans for OpenTelemetry, as an SDK that the operator loads receives them.

interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  hasEnded: boolean;
}

test('requests, jobs and calls are spans, and no span has a credential, a path or a query', async (t) => {
  const spans = recordSpans();
  t.after(() => trace.disable());
  const clock = turnedClock();
  const market = await openMarket(t, clock);
  const own = await openApp(t, { clock, env: market.env, database: await freshDatabase() });
  const seller = market.newSeller();
  await connectAccount(own, own.organization.id, market.credentials(seller.id));
  await workOff(own);

  const answer = await own.api('/v1/orders?limit=7');
  await own.api('/v1/no-such-thing', {}, { key: null });

  const named = (name: string) => spans.filter((span) => span.name === name);
  const [listed] = named('GET /v1');
  assert.equal(listed?.attributes['http.response.status_code'], 200);
  assert.equal(listed?.attributes['tianguis.request'], answer.headers.get('x-request-id'));
  assert.ok(named('job sync').length > 0);
  assert.ok(named('call mercado_libre').length > 0);
  assert.deepEqual(
    spans.filter(({ hasEnded }) => !hasEnded),
    [],
  );
  const text = JSON.stringify(spans);
  assert.doesNotMatch(text, new RegExp(`${own.key}|limit=7|no-such-thing|access_token`));
});

/** What an SDK does, without sending anything. */
function recordSpans(): Recorded[] {
  const spans: Recorded[] = [];
  const begin = (name: string, { attributes = {} }: SpanOptions = {}): Span => {
    const recorded: Recorded = { name, attributes: { ...attributes }, hasEnded: false };
    spans.push(recorded);
    const span = Object.assign(trace.wrapSpanContext(INVALID_SPAN_CONTEXT), {
      setAttribute(key: string, value: unknown) {
        recorded.attributes[key] = value;
        return span;
      },
      end() {
        recorded.hasEnded = true;
      },
    });
    return span;
  };
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan: begin,
      startActiveSpan<Work extends (span: Span) => unknown>(
        name: string,
        ...rest: (SpanOptions | Context | Work)[]
      ) {
        const work = rest.at(-1) as Work;
        return work(
          begin(name, rest.length > 1 ? (rest[0] as SpanOptions) : {}),
        ) as ReturnType<Work>;
      },
    }),
  });
  return spans;
}
