import { openFront } from '../entrances/front.ts';
import type { People } from '../features/people/index.ts';
import type { Config } from '../platform/config.ts';
import { keepPublicUrl } from '../platform/db/installation.ts';
import { localUrl } from './addresses.ts';
import type { Closers } from './closers.ts';
import { quotaFigure } from './figures.ts';
import { type Runtime, reasonOf, StartError } from './runtime.ts';
import { openSurfaces, type ServerParts } from './surfaces.ts';

interface HttpServer {
  readonly url: string;
  readonly people: People;
}

/** Listens, and sets the port of the addresses. On close, running requests finish. */
export async function openHttpServer(
  config: Config,
  runtime: Runtime,
  parts: ServerParts,
  closers: Closers,
): Promise<HttpServer> {
  const { settings } = config;
  const { clock, log } = runtime;
  let isDraining = false;
  const {
    quota,
    charge,
    people,
    surfaces: usual,
  } = await openSurfaces(config, runtime, { ...parts, isDraining: () => isDraining }, closers);
  const surfaces = [...usual, ...(runtime.moreSurfaces?.(people) ?? [])];
  const { metrics } = parts.exchange;
  metrics.add(quotaFigure(quota));
  const { holder } = runtime;
  const options = { settings, clock, quota, charge, log, metrics, surfaces };
  const front = await openFront({ ...options, ...(holder && { holder }) }).catch((cause) => {
    const place = `${settings.host}:${settings.port}`;
    throw new StartError(
      `No se puede escuchar en ${place} (${reasonOf(cause)}). Cambia PORT o HOST.`,
      {
        cause,
      },
    );
  });
  closers.add(async () => {
    isDraining = true;
    await front.close();
  });
  parts.addresses.setPort(front.port);
  await keepPublicUrl(parts.database, parts.addresses.publicUrl());
  return { url: localUrl(settings.host, front.port), people };
}
