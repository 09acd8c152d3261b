import { z } from 'zod';
import { inputOf } from '../../../platform/input-fields.ts';
import { defineRead } from '../operation.ts';

/** The organisation's delta clock, from memory: what a visible screen asks every few seconds. */
export const readClockOperation = defineRead({
  kind: 'poll',
  action: null,
  capability: null,
  input: inputOf({}),
  /** Null = unknown just now, or no order was ever stored. */
  output: z.object({ as_of: z.string().nullable() }),
  run: async ({ delta }) => ({ as_of: delta?.asOf.text ?? null }),
});
