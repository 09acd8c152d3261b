import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import type { Role } from '../../../features/people/index.ts';
import {
  type Action,
  actionsOf,
  attemptsOf,
  editLine,
  isOwnFleet,
  LINE_STATES,
  type Line,
  type LineEdit,
  type LineObstacle,
  lineById,
  listLines,
  logisticsSettings,
  movesOf,
  obstaclesOf,
  presentAction,
  presentLine,
  READINESS,
  transferLine,
  undoTransfer,
  versionOf,
} from '../../../features/warehouse/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import {
  choice,
  choices,
  inputOf,
  orNull,
  pageInput,
  wording,
} from '../../../platform/input-fields.ts';
import { defineRead, defineWrite } from '../operation.ts';
import { actorName, actorOf, memberNames } from './actors.ts';
import { AttemptShape, shownAttempt } from './attempt-shapes.ts';
import { idField, lineIdsField } from './line-fields.ts';
import { LineObstacleShape, LineShape, Move } from './line-shapes.ts';

const READ = { action: 'read_lines', capability: null } as const;
const PREPARE = { action: 'prepare_lines', capability: null } as const;
const OF_LINE = idField('La línea.');

/** `lacks`: all of them; empty also for a line that waits for no guide. */
const ListedLine = LineShape.extend({ lacks: z.array(LineObstacleShape) });

/** The lines of the warehouse, longest waiting first. */
export const listLinesOperation = defineRead({
  ...READ,
  input: inputOf({
    ...pageInput({ usual: 50, most: 100 }),
    state: choices(LINE_STATES, 'Solo en estos estados; sin ellos, las que están en preparación.', [
      'staged',
    ]),
    marketplace: choices(MARKETPLACES, 'Solo de estos marketplaces.', [MARKETPLACES[0]]),
    number: wording(
      'Exactamente este número: una orden, un paquete de órdenes, una guía o un rastreo.',
      '2000009876543210',
    ),
    has_guide: orNull(
      z.boolean().meta({ description: 'Si tienen número de rastreo.', examples: [false] }),
    ),
    is_unsettled: orNull(
      z.boolean().meta({
        description: 'Si falta decir qué pasó con su guía.',
        examples: [true],
      }),
    ),
    line_ids: lineIdsField('Solo estas líneas.'),
    readiness: choice(
      READINESS,
      'Solo las que esperan guía. ready: listas para generarla. lacking: les falta algo.',
      'ready',
    ),
  }),
  output: z.object({ data: z.array(ListedLine), next_cursor: z.string().nullable() }),
  async run({ scope, cursors }, query) {
    const settings = await logisticsSettings(scope);
    const { lines, nextCursor } = await listLines(scope, cursors, { accountId: null, ...query });
    const obstacles = await obstaclesOf(scope, lines);
    return {
      data: lines.map((line) => ({
        ...shown(line, isOwnFleet(settings, line)),
        lacks: shownObstacles(obstacles.get(line.id)),
      })),
      next_cursor: nextCursor,
    };
  },
});

const WholeLine = ListedLine.extend({
  /** Of what people edit. */
  version: z.string(),
  /** What the caller may do with it now. */
  moves: z.array(Move),
  /** The oldest first. */
  attempts: z.array(AttemptShape),
  actions: z.array(
    z.object({
      at: z.string(),
      action: z.string(),
      /** Null = the product itself. */
      by: z.string().nullable(),
    }),
  ),
});

/** One line with its attempts at guides and its record. */
export const getLineOperation = defineRead({
  ...READ,
  input: inputOf({ line_id: OF_LINE }),
  output: z.object({ data: WholeLine }),
  async run({ scope, role, allowed }, { lineId }) {
    const line = await wholeLine(scope, lineId, role);
    // After the trial a role has rights whose operations are refused.
    const moves = line.moves.filter((move) => allowed.includes(OPERATIONS[move]));
    return { data: { ...line, moves } };
  },
});

/** What makes each move. */
const OPERATIONS: Readonly<Record<z.output<typeof Move>, string>> = {
  edit: 'lines.edit',
  remove_tracking: 'lines.edit',
  generate_guide: 'guides.request',
  cancel_guide: 'guides.cancel',
  set_in_transit: 'lines.set-in-transit',
  transfer: 'lines.transfer',
  undo_transfer: 'lines.undo-transfer',
};

/** Changes a line; 409 where it changed since it was read. */
export const editLineOperation = defineWrite({
  ...PREPARE,
  input: inputOf({
    line_id: OF_LINE,
    version: z
      .string()
      .max(100)
      .meta({ description: 'La versión que se leyó.', examples: ['xJ2mY0cVw3fQkB1n8sPzTg'] }),
    packages: z
      .int()
      .optional()
      .meta({ description: 'Cuántos paquetes son.', examples: [1] }),
    /** The feature checks each field and names the first that is wrong. */
    destination: z
      .looseObject({})
      .optional()
      .meta({ description: 'La dirección de destino.', examples: [{ zipcode: '76000' }] }),
    tracking: z
      .strictObject({ tracking_number: z.string(), carrier: z.string() })
      .nullable()
      .optional()
      .meta({
        description: 'Un número hecho por otro medio; null lo quita.',
        examples: [{ tracking_number: '1Z999', carrier: 'Estafeta' }],
      }),
  }),
  output: z.object({ data: WholeLine }),
  async run({ database, by, role }, { lineId, version, packages, destination, tracking }) {
    const actor = actorOf({ by, role });
    const edit: LineEdit = {
      ...(packages !== undefined && { packages }),
      ...(destination !== undefined && { destination }),
      ...(tracking !== undefined && {
        tracking: tracking && {
          trackingNumber: tracking.tracking_number,
          carrier: tracking.carrier,
        },
      }),
    };
    return database.write(async (scope) => {
      await editLine(scope, actor, { lineId, version }, edit);
      return { data: await wholeLine(scope, lineId, role) };
    });
  },
});

/** Moves a line from preparation to shipments. */
export const transferLineOperation = defineWrite({
  ...PREPARE,
  input: inputOf({ line_id: OF_LINE }),
  output: z.object({ data: WholeLine }),
  run: ({ database, by, role }, { lineId }) =>
    database.write(async (scope) => {
      await transferLine(scope, actorOf({ by, role }), lineId);
      return { data: await wholeLine(scope, lineId, role) };
    }),
});

/** Takes a transfer back, while the carrier has not moved the parcel. */
export const undoTransferOperation = defineWrite({
  action: 'undo_transfers',
  capability: null,
  input: inputOf({ line_id: OF_LINE }),
  output: z.object({ data: WholeLine }),
  run: ({ database, by, role }, { lineId }) =>
    database.write(async (scope) => {
      await undoTransfer(scope, actorOf({ by, role }), lineId);
      return { data: await wholeLine(scope, lineId, role) };
    }),
});

async function wholeLine(
  scope: ReadScope,
  lineId: string,
  role: Role,
): Promise<z.output<typeof WholeLine>> {
  const line = await lineById(scope, lineId);
  const ownFleet = isOwnFleet(await logisticsSettings(scope), line);
  const attempts = await attemptsOf(scope, lineId);
  const actions = await actionsOf(scope, lineId);
  const names = await memberNames(scope);
  return {
    ...shown(line, ownFleet),
    lacks: shownObstacles((await obstaclesOf(scope, [line])).get(line.id)),
    version: versionOf(line),
    moves: movesOf(line, attempts, role, ownFleet),
    attempts: attempts.map((attempt) => shownAttempt(attempt, role)),
    actions: actions.map((action) => shownAction(action, names)),
  };
}

function shown(line: Line, ownFleet: boolean): z.output<typeof LineShape> {
  return presentLine(line, ownFleet) as z.output<typeof LineShape>;
}

function shownObstacles(
  obstacles: readonly LineObstacle[] = [],
): z.output<typeof LineObstacleShape>[] {
  return obstacles.map(({ code, articles }) => ({ code, articles: [...articles] }));
}

function shownAction(action: Action, names: ReadonlyMap<string, string>) {
  const { at, action: name } = presentAction(action);
  return { at, action: name, by: actorName(action.actor, names) };
}
