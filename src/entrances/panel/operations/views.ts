import { z } from 'zod';
import { listViews, removeView, saveView, VIEW_FIELDS } from '../../../features/views/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { defineRead, defineWrite } from '../operation.ts';

const { place, name, query } = VIEW_FIELDS;
const EVERY_MEMBER = { action: null, capability: null } as const;

/** The caller's own views, and those of no other member. */
export const listViewsOperation = defineRead({
  ...EVERY_MEMBER,
  input: inputOf({ place }),
  output: z.object({ data: z.array(z.object({ name: z.string(), query: z.string() })) }),
  run: async ({ scope, person }, input) => ({
    data: await listViews(scope, person.id, input.place),
  }),
});

export const saveViewOperation = defineWrite({
  ...EVERY_MEMBER,
  input: inputOf({ place, name, query }),
  output: z.object({ name: z.string() }),
  async run({ database, person }, view) {
    await database.write((scope) => saveView(scope, person.id, view));
    return { name: view.name };
  },
});

export const removeViewOperation = defineWrite({
  ...EVERY_MEMBER,
  input: inputOf({ place, name }),
  /** False = there was none. */
  output: z.object({ removed: z.boolean() }),
  run: async ({ database, person }, view) => ({
    removed: await database.write((scope) => removeView(scope, person.id, view.place, view.name)),
  }),
});
