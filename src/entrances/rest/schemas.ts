import { z } from 'zod';
import { schemaOf } from '../../platform/fields.ts';
import { EVERY_SHAPE } from './every-answer.ts';
import { type Api, byName } from './operation.ts';

const KNOWN_WORDS = 'Pueden aparecer otros valores.';
/** A bound that only says «a number». */
const LARGEST = Number.MAX_SAFE_INTEGER;

type JsonSchema = Readonly<Record<string, unknown>>;

/** A whole answer of this shape, as an example. */
export function exampleOf({ shapes }: Api, name: string): unknown {
  return shapes[name]?.example;
}

/**
 * The schemas of every answer, by the name that the OpenAPI document gives them: each shape once,
 * and by reference where another one holds it.
 */
export function schemasOf({ shapes }: Api): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  const all = byName('shapes', [...Object.entries(shapes), ...Object.entries(EVERY_SHAPE)]);
  for (const [id, described] of Object.entries(all)) registry.add(schemaOf(described), { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-2020-12',
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [
      id,
      open(schema) as JsonSchema,
    ]),
  );
}

/**
 * Within v1 answers may gain fields, and lists of words new ones, so the document forbids neither.
 * The words that are known today are in `x-known-values`.
 */
function open(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(open);
  if (typeof node !== 'object' || node === null) return node;
  const { additionalProperties: _, enum: words, ...rest } = node as Record<string, unknown>;
  const kept = Object.entries(rest).filter(([, value]) => Math.abs(Number(value)) !== LARGEST);
  const opened = Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'examples' ? value : open(value)]),
  );
  if (!Array.isArray(words)) return opened;
  return {
    ...opened,
    description: `${opened.description ?? ''} ${KNOWN_WORDS}`.trim(),
    'x-known-values': words,
  };
}
