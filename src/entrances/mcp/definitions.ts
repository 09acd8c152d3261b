import { z } from 'zod';
import { COMMON } from './answer.ts';
import { TOOLS } from './table.ts';

/** No tool changes data or asks another system. */
const READS_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** What `tools/list` answers, made once. */
export const DEFINITIONS = frozen(
  TOOLS.map(({ name, title, description, input, output }) => ({
    name,
    title,
    description,
    inputSchema: jsonSchema(input, 'input', ['examples']),
    outputSchema: jsonSchema(z.object({ ...COMMON, ...output.shape }), 'output'),
    annotations: { title, ...READS_ONLY },
  })),
);

interface ObjectSchema {
  readonly type: 'object';
  readonly [key: string]: unknown;
}

/**
 * @param leftOut of every part: models send an example of an argument as if somebody had asked for
 * it
 */
function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  leftOut: readonly string[] = [],
): ObjectSchema {
  return plain(z.toJSONSchema(schema, { io, target: 'draft-2020-12' }), leftOut) as ObjectSchema;
}

/**
 * A list of types is written as `anyOf`, since some agents know no other; bounds that only say «a
 * number» are left out.
 */
function plain(node: unknown, leftOut: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map((each) => plain(each, leftOut));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node)
    .filter(
      ([name, value]) =>
        !leftOut.includes(name) && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER,
    )
    .map(([name, value]) => [name, plain(value, leftOut)]);
  const { type, ...rest } = Object.fromEntries(entries) as Record<string, unknown>;
  if (!Array.isArray(type)) return Object.fromEntries(entries);
  return { ...rest, anyOf: type.map((one) => ({ type: one })) };
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
