import { z } from 'zod';
import { MARKETPLACES } from '../../connectors/contract.ts';
import { FAILURES, type FailureCode } from '../../platform/failures.ts';
import { type Described, schemaOf, shape, text, word } from '../../platform/fields.ts';
import { type Api, byName } from './operation.ts';

const KNOWN_WORDS = 'Pueden aparecer otros valores.';
/** A bound that only says «a number». */
const LARGEST = Number.MAX_SAFE_INTEGER;

/** As in the header of the same answer. */
export const REQUEST_ID_EXAMPLE = 'req_0mi2x7k4q5f1d0c8a2b6e9374';

export const REQUEST_ID = text(
  'Identificador de la solicitud; inclúyelo cuando pidas ayuda.',
  REQUEST_ID_EXAMPLE,
);

export const META = shape('Datos de la respuesta.', { request_id: REQUEST_ID });

const PROBLEM: Described = {
  description: 'El error.',
  example: problem('invalid_request'),
  type: z.object({
    code: schemaOf(
      word(Object.keys(FAILURES) as FailureCode[], 'Para tu código; en inglés.', 'invalid_request'),
    ),
    message: schemaOf(
      text('Para personas; en español.', 'El parámetro limit debe ser un entero entre 1 y 100.'),
    ),
    param: schemaOf(text('El parámetro con el problema, si es de uno.', 'limit')).optional(),
    details: z
      .looseObject({})
      .meta({
        description: 'Datos para tu código, según el error.',
        examples: [{ marketplaces: MARKETPLACES.slice(1, 3) }],
      })
      .optional(),
    doc_url: schemaOf(
      text('Dónde lo explica la guía.', 'http://localhost:3000/docs/guia#invalid_request'),
    ).optional(),
  }),
};

const EVERYWHERE: Readonly<Record<string, Described>> = {
  Meta: META,
  Error: shape('Por qué no se pudo atender la solicitud.', { error: PROBLEM, meta: META }),
};

type JsonSchema = Readonly<Record<string, unknown>>;

/** A whole answer of this shape, as an example. */
export function exampleOf({ shapes }: Api, name: string): unknown {
  return shapes[name]?.example;
}

function problem(code: FailureCode): object {
  return { code, message: FAILURES[code].message };
}

/**
 * The schemas of every answer, by the name that the OpenAPI document gives them: each shape once,
 * and by reference where another one holds it.
 */
export function schemasOf({ shapes }: Api): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  const all = byName('shapes', [...Object.entries(shapes), ...Object.entries(EVERYWHERE)]);
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
