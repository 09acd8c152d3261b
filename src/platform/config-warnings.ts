import type { Config } from './config.ts';
import { isLoopback } from './config-readers.ts';
import { variableNames } from './config-variables.ts';
import { editDistance, lettersOf } from './nearest.ts';

/** A configuration that works and is probably not what was meant. */
export interface ConfigWarning {
  readonly setting: string;
  /** In Spanish, for the operator. */
  readonly message: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** @param services slugs of marketplaces and carriers, which have settings of their own */
export function configWarnings(
  env: Env,
  { settings, secrets }: Config,
  services: readonly string[],
): ConfigWarning[] {
  const { host, publicUrl, secondFactor, operatorName, operatorAddress, supportEmail, privacyUrl } =
    settings;
  const isPublic = publicUrl.startsWith('https:');
  const isOpen = !isLoopback(`http://${host.includes(':') ? `[${host}]` : host}`);
  const found: ConfigWarning[] = [];
  if (isPublic && secrets.smtpUrl === null)
    found.push({
      setting: 'SMTP_URL',
      message:
        'PUBLIC_URL es pública y falta SMTP_URL: nadie recibe correos. Los enlaces para confirmar la cuenta o cambiar la contraseña solo se guardan en DATA_DIR/mail.',
    });
  const unsaid = Object.entries({
    OPERATOR_NAME: operatorName,
    OPERATOR_ADDRESS: operatorAddress,
    SUPPORT_EMAIL: supportEmail,
  }).filter(([, value]) => value === null);
  if (isPublic && privacyUrl === null && unsaid.length > 0)
    found.push({
      setting: 'PRIVACY_URL',
      message: `PUBLIC_URL es pública y el aviso de privacidad no está completo: indica ${unsaid.map(([setting]) => setting).join(', ')}, o tu propio aviso en PRIVACY_URL.`,
    });
  if (isPublic && privacyUrl !== null && supportEmail === null)
    found.push({
      setting: 'SUPPORT_EMAIL',
      message:
        'PUBLIC_URL es pública y falta SUPPORT_EMAIL: los usuarios no saben a quién pedir ayuda.',
    });
  if (isOpen && !isPublic)
    found.push({
      setting: 'HOST',
      message: `HOST=${host} abre Tianguis a la red sin https: contraseñas, sesiones y claves de API viajan sin cifrar. Pon un proxy con https delante e indica su dirección en PUBLIC_URL, o usa HOST=127.0.0.1.`,
    });
  if (isOpen && secondFactor === 'deferred')
    found.push({
      setting: 'SECOND_FACTOR',
      message: `SECOND_FACTOR=deferred con HOST=${host}: cualquiera de la red que tenga una contraseña puede crear claves de API. Quita SECOND_FACTOR o usa HOST=127.0.0.1.`,
    });
  return [...found, ...misspelt(env, variableNames(services))];
}

/** How many letters of a name may be wrong, by the least letters that the setting has. */
const SLIPS = [
  { letters: 12, most: 3 },
  { letters: 6, most: 2 },
  { letters: 0, most: 1 },
] as const;

function misspelt(env: Env, known: readonly string[]): ConfigWarning[] {
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z_]+$/.test(name) && !known.includes(name))
    .flatMap((name) => {
      const nearest = known.find((candidate) => isSlip(lettersOf(name), lettersOf(candidate)));
      return nearest === undefined
        ? []
        : [
            {
              setting: name,
              message: `${name} no es un ajuste de Tianguis. ¿Quisiste decir ${nearest}?`,
            },
          ];
    });
}

/**
 * Stricter than for a typed name: the environment holds names of many other programs.
 */
function isSlip(given: string, known: string): boolean {
  const { most } = SLIPS.find(({ letters }) => known.length >= letters) ?? SLIPS[2];
  return editDistance(given, known) <= most;
}
