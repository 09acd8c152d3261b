import { z } from 'zod';
import { guideObstacle } from '../../../exchange/guides/dry-run.ts';
import { lacksOf, listLines } from '../../../features/warehouse/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { defineRead } from '../operation.ts';
import { Fault } from './line-shapes.ts';

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
    has_more: z.boolean(),
    /** What keeps every line from its guide; null = nothing. */
    obstacle: Fault.nullable(),
  }),
  async run({ scope, cursors }) {
    const none = { accountId: null, number: null, hasGuide: null, isUnsettled: null };
    const all = { ...none, marketplace: [], lineIds: [], readiness: null, cursor: null };
    const query = { ...all, state: ['staged'] as const, limit: MOST_COUNTED };
    const { lines, nextCursor } = await listLines(scope, cursors, query);
    const lacks = await lacksOf(scope, lines);
    const documented = lines.filter(({ trackingNumber }) => trackingNumber !== null).length;
    return {
      without_guide: lines.length - documented,
      ready: [...lacks.values()].filter((of) => of.length === 0).length,
      with_guide: documented,
      has_more: nextCursor !== null,
      obstacle: await guideObstacle(scope),
    };
  },
});
