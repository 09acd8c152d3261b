import { readFile } from 'node:fs/promises';
import { MARKETPLACES, type Marketplace } from '../connectors/contract.ts';
import { lockOrganization } from '../features/organizations/index.ts';
import {
  type Actor,
  actionsOf,
  attemptsOf,
  changeSettings,
  isOwnFleet,
  LINE_STATES,
  type Line,
  type LineState,
  lineById,
  listLines,
  logisticsSettings,
  presentAction,
  presentAttempt,
  presentLine,
  STATE_NAMES,
  setDestination,
  setPackages,
  setTracking,
  transferLine,
  undoTransfer,
} from '../features/warehouse/index.ts';
import { cursorMaker } from '../platform/cursor.ts';
import type { ReadScope, WriteScope } from '../platform/db/database.ts';
import { invalid } from '../platform/failure.ts';
import {
  type Arguments,
  type Command,
  type CommandContext,
  inContext,
  isUuid,
  organizationOf,
  type Result,
} from './command.ts';

const DEFAULT_LIMIT = 50;
const MOST_LIMIT = 200;

export const warehouseLines: Command = {
  usage:
    'warehouse-lines --organization ID [--line ID] [--state a,b] [--marketplace SLUG] [--number N] [--guide si|no] [--limit N] [--cursor C]',
  about:
    'Muestra las líneas en preparación, o una con su historial. N: una orden, un paquete de órdenes, una guía o un rastreo.',
  options: ['organization', 'line', 'state', 'marketplace', 'number', 'guide', 'limit', 'cursor'],
  required: ['organization'],
  run: (args) =>
    atOrganization(args, (scope, context) =>
      args.line ? showLine(scope, args) : showLines(scope, context, args),
    ),
};

export const editLine: Command = {
  usage:
    'edit-line --organization ID --line ID [--packages N] [--destination ARCHIVO.json] [--tracking N --carrier NOMBRE]',
  about:
    'Cambia una línea: número de paquetes, dirección de destino, o un número de rastreo hecho por otro medio («no» lo quita).',
  options: ['organization', 'line', 'packages', 'destination', 'tracking', 'carrier'],
  required: ['organization', 'line'],
  async run(args) {
    const { packages, destination: file, tracking, carrier = '' } = args;
    const id = idOf(args, 'line');
    const destination = file === undefined ? null : await jsonOf(file, 'destination');
    return atOrganization(args, async (scope) => {
      const actor = operator();
      // Before the line, as `setTracking` takes both.
      await lockOrganization(scope);
      if (packages !== undefined) await setPackages(scope, actor, id, Number(packages));
      if (destination !== null) await setDestination(scope, actor, id, destination);
      if (tracking !== undefined)
        await setTracking(
          scope,
          actor,
          id,
          tracking === 'no' ? null : { trackingNumber: tracking, carrier },
        );
      return oneLine(scope, await lineById(scope, id));
    });
  },
};

export const transferLineCommand: Command = {
  usage: 'transfer-line --organization ID --line ID [--undo si]',
  about:
    'Pasa una línea con guía de preparación a envíos. Con --undo la regresa, si la paquetería no la ha movido.',
  options: ['organization', 'line', 'undo'],
  required: ['organization', 'line'],
  run: (args) =>
    atOrganization(args, async (scope) => {
      const id = idOf(args, 'line');
      const isUndone = yesOrNo(args.undo ?? 'no', 'undo');
      return oneLine(scope, await (isUndone ? undoTransfer : transferLine)(scope, operator(), id));
    }),
};

export const logisticsSettingsCommand: Command = {
  usage: 'logistics-settings --organization ID [--change ARCHIVO.json]',
  about: 'Muestra la configuración de logística, o cambia en ella lo que diga el archivo.',
  options: ['organization', 'change'],
  required: ['organization'],
  async run(args) {
    const change = args.change === undefined ? null : await jsonOf(args.change, 'change');
    return atOrganization(args, async (scope) => {
      const settings =
        change === null
          ? await logisticsSettings(scope)
          : await changeSettings(scope, operator(), change);
      return { json: settings, text: JSON.stringify(settings, null, 2) };
    });
  },
};

/** A person at the installation's terminal has the rights of its administrators. */
export function operator(): Actor {
  return { kind: 'operator', id: process.env.USER || 'terminal', role: 'admin' };
}

/** @throws Failure invalid_request */
export function idOf(args: Arguments, name: 'line' | 'attempt'): string {
  const id = args[name];
  if (!isUuid(id)) throw invalid(name, `El identificador de --${name} no es válido.`);
  return id.toLowerCase();
}

/** @throws Failure invalid_request */
export async function jsonOf(file: string, param: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw invalid(param, `No se puede leer el archivo ${file}.`);
  });
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(param, `El archivo ${file} no es JSON.`);
  }
}

export async function oneLine(scope: ReadScope, line: Line) {
  const settings = await logisticsSettings(scope);
  return { json: presentLine(line, isOwnFleet(settings, line)), text: sentence(line) };
}

async function showLines(scope: ReadScope, context: CommandContext, args: Arguments) {
  const { keyring } = context.config.secrets;
  if (!keyring) throw invalid('MASTER_KEY', 'Falta MASTER_KEY.');
  const settings = await logisticsSettings(scope);
  const { lines, nextCursor } = await listLines(scope, cursorMaker(keyring), queryOf(args));
  return {
    json: {
      lines: lines.map((line) => presentLine(line, isOwnFleet(settings, line))),
      next_cursor: nextCursor,
    },
    text: [
      ...(lines.length === 0 ? ['Ninguna línea coincide.'] : lines.map(sentence)),
      ...(nextCursor === null ? [] : [`Hay más: --cursor ${nextCursor}`]),
    ].join('\n'),
  };
}

async function showLine(scope: ReadScope, args: Arguments) {
  const line = await lineById(scope, idOf(args, 'line'));
  const { json, text } = await oneLine(scope, line);
  const attempts = (await attemptsOf(scope, line.id)).map(presentAttempt);
  const actions = (await actionsOf(scope, line.id)).map(presentAction);
  return {
    json: { ...json, attempts, actions },
    text: [
      text,
      ...attempts.map(({ attempt_id, state, tracking, error }) =>
        `  intento ${attempt_id}: ${state} ${tracking ?? ''} ${error?.message ?? ''}`.trimEnd(),
      ),
      ...actions.map(({ at, action, actor }) => `  ${at} ${action} (${actor.kind} ${actor.id})`),
    ].join('\n'),
  };
}

function queryOf({ state, marketplace, number, guide, limit, cursor }: Arguments) {
  const rows = limit === undefined ? DEFAULT_LIMIT : Number(limit);
  if (!Number.isInteger(rows) || rows < 1 || rows > MOST_LIMIT)
    throw invalid('limit', `--limit va de 1 a ${MOST_LIMIT}.`);
  return {
    state: listOf<LineState>(state, LINE_STATES, 'state'),
    marketplace: listOf<Marketplace>(marketplace, MARKETPLACES, 'marketplace'),
    accountId: null,
    number: number ?? null,
    hasGuide: guide === undefined ? null : yesOrNo(guide, 'guide'),
    isUnsettled: null,
    lineIds: [],
    readiness: null,
    limit: rows,
    cursor: cursor ?? null,
  };
}

function listOf<T extends string>(
  text: string | undefined,
  known: readonly T[],
  param: string,
): T[] {
  const given = text === undefined ? [] : text.split(',').map((one) => one.trim());
  const strange = given.find((one) => !known.some((value) => value === one));
  if (strange !== undefined) throw invalid(param, `--${param} admite: ${known.join(', ')}.`);
  return given as T[];
}

function yesOrNo(text: string, param: string): boolean {
  const word = text.toLowerCase();
  if (!['si', 'sí', 'no'].includes(word)) throw invalid(param, `--${param} debe ser si o no.`);
  return word !== 'no';
}

function sentence({
  id,
  state,
  marketplace,
  orders,
  packages,
  destination,
  trackingNumber,
  carrier,
}: Line): string {
  const what = `${marketplace} ${orders.map((order) => order.id).join(' + ')}`;
  const how = `${packages} ${packages === 1 ? 'paquete' : 'paquetes'}`;
  const where =
    destination === null ? 'sin dirección' : `a ${destination.city} ${destination.zipcode}`;
  const guide = trackingNumber === null ? 'sin guía' : `${carrier} ${trackingNumber}`;
  return `${id} · ${STATE_NAMES[state]} · ${what} · ${how} · ${where} · ${guide}`;
}

/** One transaction of one organisation, at the context. */
async function atOrganization(
  args: Arguments,
  work: (scope: WriteScope, context: CommandContext) => Promise<Result>,
): Promise<Result> {
  return inContext(async (context) => {
    const { id } = await organizationOf(context.database, args.organization);
    return context.database.within(id).write((scope) => work(scope, context));
  });
}
