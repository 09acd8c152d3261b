import {
  type ApiVersion,
  type Deprecation,
  rememberDeprecation,
} from '../../features/deprecations/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { formatHttpDate } from '../../platform/time.ts';
import type { Surface } from '../surface.ts';

const EXPLAINED = `${SITE_PAGES.docs.path}#versiones`;

interface Parts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly publicUrl: () => string;
}

/** What the front answers for a version whose end is announced; nothing before. */
export async function endOfVersion(
  { database, clock, log, publicUrl }: Parts,
  version: ApiVersion,
): Promise<Required<Pick<Surface, 'headers' | 'refusal'>>> {
  const deprecation = await rememberDeprecation(database, clock, version, (err) =>
    log.warn({ err }, 'announced end of the API not read'),
  );
  return {
    headers() {
      const announced = deprecation.current();
      return announced ? headersOf(announced, publicUrl()) : {};
    },
    refusal() {
      const announced = deprecation.current();
      const isOver = announced && announced.sunsetAt.epochMilliseconds <= clock.millis();
      return isOver ? retired(announced) : null;
    },
  };
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and links to what explains both. */
function headersOf(
  { deprecatedAt, sunsetAt, successor }: Deprecation,
  publicUrl: string,
): Record<string, string> {
  const page = `<${publicUrl}${EXPLAINED}>`;
  return {
    deprecation: `@${Math.floor(deprecatedAt.epochMilliseconds / 1_000)}`,
    sunset: formatHttpDate(sunsetAt),
    link: [
      `${page}; rel="deprecation"; type="text/html"`,
      `${page}; rel="sunset"; type="text/html"`,
      ...(successor ? [`<${successor}>; rel="successor-version"`] : []),
    ].join(', '),
  };
}

function retired({ version, successor }: Deprecation): Failure {
  const next = successor ?? `${SITE_PAGES.docs.name} (${SITE_PAGES.docs.path})`;
  return fail('version_retired', {
    message: `La versión ${version} de la API ya se retiró. Cambia tu aplicación a la versión actual: ${next}.`,
  });
}
