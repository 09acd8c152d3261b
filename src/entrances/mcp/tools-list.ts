import { z } from 'zod';
import { TOOLS } from './all-tools.ts';
import { EVERY_ANSWER } from './answer.ts';
import { PAGINATION } from './tool.ts';

/** No tool changes data or asks another system. */
const READS_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/**
 * Models send an argument's example as its value. The error of a refused call names the bound.
 */
const UNSAID_OF_INPUTS = ['$schema', 'examples', 'maxItems', 'minLength', 'maxLength'];
/** Hosts pass the whole list to the model, so an output schema has names and types only. */
const UNSAID_OF_OUTPUTS = [
  ...UNSAID_OF_INPUTS,
  'description',
  'enum',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'required',
  'additionalProperties',
];

/** What `tools/list` answers, made once. */
export const DEFINITIONS = frozen(
  TOOLS.map(({ name, title, description, input, output }) => ({
    name,
    title,
    description,
    inputSchema: jsonSchema(input, 'input', UNSAID_OF_INPUTS),
    outputSchema: jsonSchema(
      z.object({ ...EVERY_ANSWER, pagination: PAGINATION.optional(), ...output.shape }),
      'output',
      UNSAID_OF_OUTPUTS,
    ),
    annotations: { title, ...READS_ONLY },
  })),
);

interface ObjectSchema {
  readonly type: 'object';
  readonly [key: string]: unknown;
}

/** @param unsaid left out of every part of the schema */
function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  unsaid: readonly string[],
): ObjectSchema {
  return plain(z.toJSONSchema(schema, { io, target: 'draft-2020-12' }), unsaid) as ObjectSchema;
}

/**
 * A list of types is written as `anyOf`, since some agents know no other; bounds that only say «a
 * number» are left out.
 */
function plain(node: unknown, unsaid: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map((each) => plain(each, unsaid));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node)
    .filter(
      ([name, value]) =>
        !unsaid.includes(name) && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER,
    )
    .map(([name, value]) => [
      name,
      name === 'properties' ? eachPlain(value, unsaid) : plain(value, unsaid),
    ]);
  const { type, ...rest } = Object.fromEntries(entries) as Record<string, unknown>;
  if (!Array.isArray(type)) return Object.fromEntries(entries);
  return { ...rest, anyOf: type.map((one) => ({ type: one })) };
}

/** Names of members are no keywords. */
function eachPlain(properties: object, unsaid: readonly string[]): unknown {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, plain(schema, unsaid)]),
  );
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
