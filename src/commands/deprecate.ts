import { API_VERSIONS, type ApiVersion, deprecate } from '../features/deprecations/index.ts';
import { fail, invalid } from '../platform/failure.ts';
import { dayInMexico, formatMillis, type Instant } from '../platform/time.ts';
import { type Command, inContext, momentOf } from './command.ts';

export const deprecateCommand: Command = {
  usage: 'deprecate VERSIÓN --sunset FECHA [--successor URL]',
  about:
    'Anuncia el retiro de una versión de la API (v1), al menos un año después. Cada respuesta lo indica y quienes la usan reciben correos.',
  options: ['sunset', 'successor'],
  required: ['sunset'],
  file: 'one',
  async run({ sunset = '', successor }, [version = '']) {
    const announced = {
      version: readVersion(version),
      sunsetAt: readSunset(sunset),
      successor: successor === undefined ? null : readAddress(successor),
    };
    const made = await inContext(({ database, runtime }) =>
      database.write((handle) => deprecate(handle, announced, runtime.clock.now())),
    );
    return {
      json: {
        version: made.version,
        deprecated_at: formatMillis(made.deprecatedAt),
        sunset_at: formatMillis(made.sunsetAt),
        successor: made.successor,
      },
      text: `${made.version} se retira el ${dayInMexico(made.sunsetAt)}. En menos de un minuto, cada respuesta lo indica.`,
    };
  },
};

function readVersion(text: string): ApiVersion {
  const version = API_VERSIONS.find((one) => one === text);
  if (version) return version;
  const known = API_VERSIONS.join(', ');
  throw fail('invalid_request', {
    message: `No existe la versión «${text}». Las que hay: ${known}.`,
  });
}

function readSunset(text: string): Instant {
  const at = momentOf(text);
  if (at) return at;
  throw invalid(
    'sunset',
    '--sunset debe ser un día, como 2028-01-31, o una fecha con hora, como 2028-01-31T18:00:00Z.',
  );
}

/** As a header has it: absolute and encoded. */
function readAddress(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href;
  throw invalid('successor', '--successor debe ser una dirección completa, con https://.');
}
