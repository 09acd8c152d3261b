import { statSync } from 'node:fs';
import type { Config } from './config.ts';
import { isLoopback, isOfOneNetwork } from './config-readers.ts';
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
  return [
    ...publicWarnings({ settings, secrets }),
    ...hostWarnings(settings),
    ...networkWarnings(settings),
    ...folderWarnings(settings),
    ...misspelt(env, variableNames(services)),
  ];
}

/** What the users of a public service lack. */
function publicWarnings({
  settings: { publicUrl, operatorName, operatorAddress, supportEmail, privacyUrl },
  secrets,
}: Pick<Config, 'settings' | 'secrets'>): ConfigWarning[] {
  const isPublic = publicUrl.startsWith('https:');
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
  return found;
}

/** Without API_HOSTS a public service answers at every host name that resolves to it. */
function hostWarnings({ publicUrl, mcpUrl, apiHosts }: Config['settings']): ConfigWarning[] {
  if (!publicUrl.startsWith('https:') || apiHosts.length > 0) return [];
  const own = new Set([publicUrl, mcpUrl].map((url) => new URL(url).hostname));
  return [
    {
      setting: 'API_HOSTS',
      message: `PUBLIC_URL es pública y falta API_HOSTS: se atiende cualquier nombre de host. Usa API_HOSTS=${[...own].join(',')} para atender solo el tuyo.`,
    },
  ];
}

/** What strangers of the network reach. */
function networkWarnings({
  host,
  publicUrl,
  secondFactor,
  metricsHost,
  metricsPort,
}: Config['settings']): ConfigWarning[] {
  const isPublic = publicUrl.startsWith('https:');
  const found: ConfigWarning[] = [];
  if (isOpen(host) && !isPublic)
    found.push({
      setting: 'HOST',
      message: `HOST=${host} abre Tianguis a la red sin https: contraseñas, sesiones y claves de API viajan sin cifrar. Pon un proxy con https delante e indica su dirección en PUBLIC_URL, o usa HOST=127.0.0.1.`,
    });
  if (isOpen(host) && secondFactor === 'deferred')
    found.push({
      setting: 'SECOND_FACTOR',
      message: `SECOND_FACTOR=deferred con HOST=${host}: cualquiera de la red que tenga una contraseña puede crear claves de API. Quita SECOND_FACTOR o usa HOST=127.0.0.1.`,
    });
  if (metricsPort !== null && isOpen(metricsHost) && !isOfOneNetwork(metricsHost))
    found.push({
      setting: 'METRICS_HOST',
      message: `METRICS_HOST=${metricsHost} abre las métricas a la red, sin contraseña ni https. Deja pasar solo a tu monitoreo, o usa METRICS_HOST=127.0.0.1, o la dirección de esta máquina en una red privada.`,
    });
  return found;
}

/** Whether a listener at this address hears more than this machine. */
function isOpen(host: string): boolean {
  return !isLoopback(`http://${host.includes(':') ? `[${host}]` : host}`);
}

/** The owner of a folder reads and replaces all that is in it. */
function folderWarnings({ dataDir }: Config['settings']): ConfigWarning[] {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  const own = process.getuid?.();
  if (owner === undefined || own === undefined || owner === own) return [];
  return [
    {
      setting: 'DATA_DIR',
      message: `La carpeta DATA_DIR=${dataDir} es de otro usuario del sistema (${owner}), que puede leer y cambiar lo que guarda Tianguis. Inicia Tianguis con ese usuario, o cambia el dueño: chown -R ${own} ${dataDir}.`,
    },
  ];
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
