import type { ServiceVariable, Variable } from './config-variable.ts';
import { SECRETS, SERVICE_VARIABLES, SETTINGS } from './config-variables.ts';

const FIXED: readonly Variable<unknown>[] = [...Object.values(SETTINGS), ...Object.values(SECRETS)];
const OF_SERVICES: readonly ServiceVariable<unknown>[] = Object.values(SERVICE_VARIABLES);

/** What `.env.example` must say. */
export function envExample(): string {
  const fixed = FIXED.map(
    (variable) => `# ${variable.about}\n${variable.name}=${defaultOf(variable)}\n`,
  );
  const ofServices = OF_SERVICES.map(
    ({ about, shownFor, ending }) => `# ${about}\n# ${shownFor}_${ending}=\n`,
  );
  return [...fixed, ...ofServices].join('\n');
}

/** The table of settings in the documents. */
export function settingsTable(): string {
  const row = (name: string, text: string, about: string) =>
    `| \`${name}\` | ${text && `\`${text}\``} | ${about.replaceAll('|', 'or')} |`;
  return [
    '| Variable | Default | |',
    '|---|---|---|',
    ...FIXED.map((variable) => row(variable.name, defaultOf(variable), variable.about)),
    ...OF_SERVICES.map(({ about, shownFor, ending }) =>
      row(`${shownFor}_${ending}`, '', about.replace(', for example:', '.')),
    ),
  ].join('\n');
}

/** A default that follows from other settings is described in words. */
function defaultOf({ default: given }: Variable<unknown>): string {
  return typeof given === 'string' ? given : '';
}
