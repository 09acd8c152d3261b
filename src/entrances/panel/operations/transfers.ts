import { z } from 'zod';
import { transferLine } from '../../../features/warehouse/index.ts';
import { Failure } from '../../../platform/failure.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { defineWrite } from '../operation.ts';
import { actorOf } from './actors.ts';
import { lineIdsIn } from './line-fields.ts';

const MOST_LINES = 100;
/** What keeps one line from it, and no other. */
const OF_A_LINE: readonly string[] = [
  'not_found',
  'transition_not_allowed',
  'guide_required',
  'guide_outcome_unknown',
];

/** Moves lines from preparation to shipments; one that cannot be moved stops no other. */
export const transferLinesOperation = defineWrite({
  action: 'prepare_lines',
  capability: null,
  input: inputOf({
    line_ids: lineIdsIn(MOST_LINES),
  }),
  output: z.object({
    transferred: z.array(z.string()),
    refused: z.array(z.object({ line_id: z.string(), code: z.string(), message: z.string() })),
  }),
  async run({ database, by, role }, { lineIds }) {
    const actor = actorOf({ by, role });
    const transferred: string[] = [];
    const refused: { line_id: string; code: string; message: string }[] = [];
    for (const lineId of new Set(lineIds))
      try {
        await database.write((scope) => transferLine(scope, actor, lineId));
        transferred.push(lineId);
      } catch (error) {
        if (!(error instanceof Failure) || !OF_A_LINE.includes(error.code)) throw error;
        refused.push({ line_id: lineId, code: error.code, message: error.message });
      }
    return { transferred, refused };
  },
});
