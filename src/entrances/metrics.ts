import { createServer } from 'node:http';
import { METRICS_TYPE, type Metrics } from '../platform/metrics.ts';

interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

const HEADERS_WITHIN_MS = 5_000;

/**
 * `GET /metrics` on a listener of its own: the figures are for the operator's network, and a
 * process that only works on jobs has no other listener. No request is authenticated.
 * @throws Error of the system where the address is taken
 */
export async function openMetricsServer(
  metrics: Metrics,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const server = createServer({ headersTimeout: HEADERS_WITHIN_MS }, (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path !== '/metrics') return void response.writeHead(404).end();
    if (!['GET', 'HEAD'].includes(request.method ?? ''))
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    metrics
      .render()
      .then((text) => response.writeHead(200, { 'content-type': METRICS_TYPE }).end(text))
      .catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as { port: number }).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
