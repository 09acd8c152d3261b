import { parseArgs } from 'node:util';
import { StartError } from '../app/runtime.ts';
import { MARKETPLACES } from '../connectors/contract.ts';
import { ConfigError } from '../platform/config.ts';
import { EmbeddedError } from '../platform/db/embedded.ts';
import { Failure, invalid } from '../platform/failure.ts';
import { nearestOf } from '../platform/nearest.ts';
import { SealError } from '../platform/seal.ts';
import type { Arguments } from './command.ts';
import { COMMANDS, type Command } from './index.ts';

/** The result of a command: a text for standard output or for standard error, and the exit code. */
interface Answer {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode: number;
}

/**
 * Runs the command that these arguments name. The answer is prose, or one line of JSON with --json.
 * Never throws.
 */
export async function answer(args: readonly string[]): Promise<Answer> {
  const json = args.includes('--json');
  try {
    const [first = '', ...others] = args.filter((argument) => argument !== '--json');
    // `help connect` is `connect --help`.
    const [name = '', ...rest] = first === 'help' ? others : [first, ...others];
    const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.() : undefined;
    const help = await helpAsked(args, name, command);
    if (help !== null) return { stdout: json ? JSON.stringify({ help }) : help, exitCode: 0 };
    if (!command)
      throw invalid('command', name === '' ? await helpOfAll() : await unknownCommand(name));
    const { given, files } = readArguments(name, command, rest);
    const result = await command.run(given, files);
    return {
      stdout: json ? JSON.stringify(result.json) : result.text,
      exitCode: result.exitCode ?? 0,
    };
  } catch (error) {
    return failed(error, json);
  }
}

function readArguments(name: string, command: Command, args: string[]) {
  try {
    const options: Record<string, { type: 'string' | 'boolean' }> = {};
    for (const option of command.options) options[option] = { type: 'string' };
    for (const flag of command.flags ?? []) options[flag] = { type: 'boolean' };
    const { values, positionals } = parseArgs({
      args,
      options,
      allowPositionals: command.file !== undefined,
      strict: true,
    });
    const missing = command.required.find((option) => values[option] === undefined);
    if (missing) throw invalid(missing, `Falta --${missing}. ${command.usage}`);
    if (command.file === 'one' && positionals.length !== 1)
      throw invalid('file', `Indica un archivo. ${command.usage}`);
    if (command.file === 'many' && positionals.length === 0)
      throw invalid('file', `Indica al menos un archivo. ${command.usage}`);
    const given = Object.entries(values).map(([name, value]) => [
      name,
      value === true ? 'si' : String(value),
    ]);
    return { given: Object.fromEntries(given) as Arguments, files: positionals };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw invalid('arguments', `Argumentos no válidos para ${name}. ${command.usage}`);
  }
}

/** @returns the requested help, of one command or of all; null when no help was requested */
async function helpAsked(
  args: readonly string[],
  name: string,
  command: Command | undefined,
): Promise<string | null> {
  const isAsked = args[0] === 'help' || args.includes('--help') || args.includes('-h');
  if (!isAsked) return null;
  if (command) return helpOfOne(command);
  return name === '' || name.startsWith('-') ? helpOfAll() : null;
}

function helpOfOne({ usage, about }: Command): string {
  return `${usage}\n    ${about}`;
}

async function helpOfAll(): Promise<string> {
  const all = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const commands = all.map((command) => `  ${helpOfOne(command).replace('\n', '\n  ')}`);
  return [
    'Uso: npm run --silent cli -- COMANDO [opciones] [--json]',
    '',
    'Comandos:',
    ...commands,
    '',
    'Con --json cada comando responde en una sola línea. SLUG: el nombre del marketplace en la API,',
    `como ${MARKETPLACES[0]}. La configuración se lee del entorno y del archivo .env, igual que la del servicio.`,
  ].join('\n');
}

async function unknownCommand(name: string): Promise<string> {
  const nearest = nearestOf(name, Object.keys(COMMANDS));
  return nearest === null
    ? `No existe el comando «${name}».\n\n${await helpOfAll()}`
    : `No existe el comando «${name}». ¿Quisiste decir «${nearest}»? Con help se muestran todos.`;
}

function failed(error: unknown, json: boolean): Answer {
  const { exitCode, ...reported } = describe(error);
  return json
    ? { stdout: JSON.stringify({ error: reported }), exitCode }
    : { stderr: reported.message, exitCode };
}

interface Described {
  readonly code: string;
  readonly message: string;
  readonly param?: string;
  readonly details?: object;
  readonly exitCode: number;
}

function describe(error: unknown): Described {
  if (error instanceof Failure) return describeFailure(error);
  if (error instanceof ConfigError)
    return { code: 'invalid_configuration', message: error.message, exitCode: 1 };
  if (error instanceof StartError || error instanceof EmbeddedError)
    return { code: 'not_started', message: error.message, exitCode: 1 };
  if (error instanceof SealError)
    return {
      code: 'wrong_master_key',
      message:
        'Lo que está guardado no abre: indica en MASTER_KEY la misma clave que usa el servicio.',
      exitCode: 1,
    };
  if (process.env.LOG_LEVEL === 'debug') console.error(error);
  return {
    code: 'internal_error',
    message:
      'Ocurrió un error inesperado. Repite la orden con LOG_LEVEL=debug para ver el detalle.',
    exitCode: 1,
  };
}

/** The same fields as in answers of the API; the exit code alone gives the status. */
function describeFailure({ code, message, param, details: facts }: Failure): Described {
  const { exit_code: exitCode = 1, ...details } = facts ?? {};
  return {
    code,
    message,
    ...(param !== undefined && { param }),
    ...(Object.keys(details).length > 0 && { details }),
    exitCode: Number(exitCode),
  };
}
