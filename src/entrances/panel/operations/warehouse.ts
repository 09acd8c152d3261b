import { z } from 'zod';
import { listLines } from '../../../features/warehouse/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { defineRead } from '../operation.ts';

const MOST_COUNTED = 500;

/** The lines that wait for preparation, counted up to a limit. */
export const countLinesOperation = defineRead({
  action: 'prepare_lines',
  capability: null,
  input: inputOf({}),
  output: z.object({ without_guide: z.int(), with_guide: z.int(), has_more: z.boolean() }),
  async run({ scope, cursors }) {
    const none = { accountId: null, number: null, hasGuide: null, isUnsettled: null };
    const all = { ...none, marketplace: [], cursor: null };
    const query = { ...all, state: ['staged'] as const, limit: MOST_COUNTED };
    const { lines, nextCursor } = await listLines(scope, cursors, query);
    const ready = lines.filter(({ trackingNumber }) => trackingNumber !== null).length;
    return {
      without_guide: lines.length - ready,
      with_guide: ready,
      has_more: nextCursor !== null,
    };
  },
});
