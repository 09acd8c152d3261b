/** The SDK that an operator loads, which `tests/opentelemetry` installs, and a receiver of spans. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Ending } from '../reliability/support/processes.ts';

const FOLDER = new URL('../opentelemetry/', import.meta.url);

/** Why a test that needs it cannot run here; false when it can. */
export const noSdk: string | false = existsSync(
  fileURLToPath(new URL('node_modules/@opentelemetry/sdk-node', FOLDER)),
)
  ? false
  : 'needs the SDK of OpenTelemetry: npm ci --prefix tests/opentelemetry';

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: Readonly<Record<string, unknown>>;
  }[];
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** A receiver of OTLP over HTTP, in JSON. */
interface SpanReceiver {
  /** What points a program at it. */
  readonly env: Readonly<Record<string, string>>;
  readonly spans: readonly Span[];
  /** All that was sent, of whatever kind. */
  readonly bodies: readonly string[];
  /** Requests that got no answer. */
  readonly unanswered: () => number;
  behave(how: 'answers' | 'hangs' | 'breaks'): void;
}

const SENT_EVERY_MS = '100';

export async function openSpanReceiver(own: Ending): Promise<SpanReceiver> {
  const spans: Span[] = [];
  const bodies: string[] = [];
  let behaviour: 'answers' | 'hangs' | 'breaks' = 'answers';
  let unanswered = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (behaviour !== 'answers') {
      unanswered++;
      if (behaviour === 'breaks') request.socket.destroy();
      return;
    }
    bodies.push(body);
    if (request.url === '/v1/traces') {
      const sent: Sent = JSON.parse(body);
      const scopes = sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans);
      spans.push(...scopes.flatMap((scope) => scope.spans));
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  own.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as { port: number };
  return {
    env: {
      NODE_OPTIONS: `--import ${new URL('start.mjs', FOLDER).href}`,
      OTEL_SERVICE_NAME: 'tianguis',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: SENT_EVERY_MS,
    },
    spans,
    bodies,
    unanswered: () => unanswered,
    behave(how) {
      behaviour = how;
    },
  };
}
