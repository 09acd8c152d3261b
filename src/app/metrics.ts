import { openMetricsServer } from '../entrances/metrics.ts';
import type { Settings } from '../platform/config.ts';
import type { Metrics } from '../platform/metrics.ts';
import { localUrl } from './addresses.ts';
import type { Closers } from './closers.ts';
import { reasonOf, StartError } from './runtime.ts';

/** Listens for Prometheus. @returns the address of `GET /metrics`; null where there is none */
export async function listenForMetrics(
  { metricsHost: host, metricsPort: port }: Settings,
  metrics: Metrics,
  closers: Closers,
): Promise<string | null> {
  if (port === null) return null;
  const server = await openMetricsServer(metrics, { host, port }).catch((cause) => {
    throw new StartError(
      `No se puede escuchar en ${host}:${port} (${reasonOf(cause)}). Cambia METRICS_PORT o METRICS_HOST.`,
      { cause },
    );
  });
  closers.add(server.close);
  return `${localUrl(host, server.port)}/metrics`;
}
