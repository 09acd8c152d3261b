import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A value that a former answer of the plan has. */
const Found = z.strictObject({
  /** Which call's answer, counted from 1. */
  answer: z.int().min(1),
  /** Its place: names and positions with dots, `[name=value]` for the row that has the value. */
  at: z.string(),
});
export type Found = z.output<typeof Found>;

const Literal = z.union([z.string(), z.number(), z.boolean()]);
const Value = z.union([Literal, Found, z.array(z.union([Literal, Found]))]);
export type Value = z.output<typeof Value>;

const Question = z.strictObject({
  question: z.string().min(1),
  /** The calls, in order. */
  plan: z
    .array(z.strictObject({ tool: z.string(), arguments: z.record(z.string(), Value) }))
    .min(1),
  truth: z.strictObject({
    /** Rows of the organisation $1; a column's name is a place in a row of the answer. */
    sql: z.string(),
    /** Where the last answer has these rows, and no others. */
    at: z.string(),
    /** No rows are the right answer. */
    is_empty: z.literal(true).optional(),
  }),
  /** The accounts that the last answer's heading warns of, and no others. */
  warns: z.array(z.string()).default([]),
});
/** What a seller asks, how an agent gets the answer, and what the answer is. */
export type Question = z.output<typeof Question>;

/**
 * The questions of this folder, and of the JSON files of a further one.
 * @throws Error that names the file that has another format
 */
export function questionsWith(further: string | undefined): Question[] {
  const folders = [join(import.meta.dirname, 'golden'), ...(further ? [further] : [])];
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => questionsOf(join(folder, name))),
  );
}

function questionsOf(path: string): Question[] {
  const read = z.array(Question).safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!read.success) throw new Error(`${path}: ${z.prettifyError(read.error)}`);
  return read.data;
}

export const QUESTIONS = questionsWith(process.env.GOLDEN_DIR);
