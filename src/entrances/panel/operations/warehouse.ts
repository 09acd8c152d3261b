import { z } from 'zod';
import { guideObstacle } from '../../../exchange/guides/dry-run.ts';
import { listLines, obstaclesOf } from '../../../features/warehouse/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { defineRead } from '../operation.ts';
import { Fault } from './attempt-shapes.ts';

const MOST_COUNTED = 500;

/** The lines that wait for preparation, counted up to a limit. */
export const countLinesOperation = defineRead({
  action: 'prepare_lines',
  capability: null,
  input: inputOf({}),
  output: z.object({
    without_guide: z.int(),
    /** Of those without a guide, the lines that lack nothing for it. */
    ready: z.int(),
    with_guide: z.int(),
    /** There are more without a guide than were counted. */
    has_more: z.boolean(),
    with_guide_has_more: z.boolean(),
    /** What keeps every line from its guide; null = nothing. */
    obstacle: Fault.nullable(),
  }),
  async run({ scope, cursors }) {
    const none = { accountId: null, number: null, isUnsettled: null };
    const all = { ...none, marketplace: [], lineIds: [], readiness: null, cursor: null };
    const query = { ...all, state: ['staged'] as const, limit: MOST_COUNTED };
    // Counted apart: lines with a guide stay until people transfer them.
    const without = await listLines(scope, cursors, { ...query, hasGuide: false });
    const documented = await listLines(scope, cursors, { ...query, hasGuide: true });
    const obstacles = await obstaclesOf(scope, without.lines);
    return {
      without_guide: without.lines.length,
      ready: [...obstacles.values()].filter((of) => of.length === 0).length,
      with_guide: documented.lines.length,
      has_more: without.nextCursor !== null,
      with_guide_has_more: documented.nextCursor !== null,
      obstacle: await guideObstacle(scope),
    };
  },
});
