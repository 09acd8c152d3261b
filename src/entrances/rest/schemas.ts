import { z } from 'zod';
import { MARKETPLACES } from '../../connectors/contract.ts';
import { SCOPES } from '../../features/keys/index.ts';
import { ORDER_SHAPES } from '../../features/orders/index.ts';
import { PLANS } from '../../features/plans/index.ts';
import { FAILURES, type FailureCode } from '../../platform/failures.ts';
import {
  type Described,
  flag,
  listOf,
  name,
  orNull,
  schemaOf,
  shape,
  stamp,
  text,
  time,
  whole,
  word,
} from '../../platform/fields.ts';

const KNOWN_WORDS = 'Pueden aparecer otros valores.';
/** A bound that only says «a number». */
const LARGEST = Number.MAX_SAFE_INTEGER;

/** As in the header of the same answer. */
export const REQUEST_ID_EXAMPLE = 'req_0mi2x7k4q5f1d0c8a2b6e9374';

const REQUEST_ID = text(
  'Identificador de la solicitud; inclúyelo cuando pidas ayuda.',
  REQUEST_ID_EXAMPLE,
);

const META = shape('Datos de la respuesta.', { request_id: REQUEST_ID });

const ORDER_LIST = shape('Una página de órdenes.', {
  data: listOf('Las órdenes de la página; vacía cuando no hay ninguna.', ORDER_SHAPES.Order),
  pagination: shape('Cómo seguir.', {
    next_cursor: orNull(
      text('Pásalo en `cursor` para la página siguiente; null en la última.', 'eyJ2IjoxfQ'),
    ),
    has_more: flag('Si hay más páginas; `false` significa que el recorrido está completo.', true),
  }),
  meta: shape('Datos de la respuesta.', {
    request_id: REQUEST_ID,
    as_of: stamp(
      'El `updated_since` de tu siguiente consulta: con él no se pierde ningún cambio.',
      '2026-11-16T18:00:00.000002Z',
    ),
  }),
});

const ONE_ORDER = shape('El detalle de una orden.', { data: ORDER_SHAPES.OrderDetail, meta: META });

const KEY = shape('La clave de API en uso.', {
  id: name('Identificador de la clave.', '019a8f52-0d3b-7c61-8f25-7b9e4c2a6d18'),
  name: text('Nombre que le dio tu organización.', 'Hoja de cálculo'),
  last_four: text('Sus últimos cuatro caracteres.', 'x7Qd'),
  scopes: listOf('Lo que la clave puede leer.', word(SCOPES, 'Un permiso.', 'orders:read')),
  created_at: time('Cuándo se generó.', '2026-11-01T15:00:00.000Z'),
  expires_at: orNull(time('Cuándo vence; null si no vence.', '2027-01-30T15:00:00.000Z')),
  last_used_at: orNull(
    time(
      'Cuándo se usó por última vez antes de esta solicitud; null si es la primera.',
      '2026-11-16T17:59:30.000Z',
    ),
  ),
});

const ME = shape('Tu organización y tu clave.', {
  data: shape('La organización, la clave en uso y los límites.', {
    organization_id: text(
      'Identificador de la organización.',
      '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42',
    ),
    plan: word(Object.keys(PLANS), 'Plan de la organización.', 'intermedio'),
    marketplaces_connected: whole('Cuántos marketplaces tienen al menos una cuenta conectada.', 3),
    trial_ends_at: orNull(
      time(
        'Cuándo termina el periodo de prueba; null cuando no hay uno en curso.',
        '2026-11-30T18:00:00.000Z',
      ),
    ),
    key: KEY,
    limits: shape('Los límites que valen ahora.', {
      requests_per_minute: whole('Solicitudes por minuto de toda la organización.', 500),
      webhooks: word(
        ['none', 'read', 'full'],
        'Qué permite el plan con los webhooks: nada, verlos o todo.',
        'read',
      ),
    }),
  }),
  meta: META,
});

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
  }),
};

const PUBLISHED: Readonly<Record<string, Described>> = {
  ...ORDER_SHAPES,
  OrderList: ORDER_LIST,
  OneOrder: ONE_ORDER,
  Me: ME,
  Meta: META,
  Error: shape('Por qué no se pudo atender la solicitud.', { error: PROBLEM, meta: META }),
};

type JsonSchema = Readonly<Record<string, unknown>>;

/** The schemas of every answer, by the name that the OpenAPI document gives them. */
export const SCHEMAS: Readonly<Record<string, JsonSchema>> = jsonSchemas();

/** A whole answer of this shape, as an example. */
export function exampleOf(name: string): unknown {
  return PUBLISHED[name]?.example;
}

function problem(code: FailureCode): object {
  return { code, message: FAILURES[code].message };
}

/** Each shape once, and by reference where another one holds it. */
function jsonSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, described] of Object.entries(PUBLISHED))
    registry.add(schemaOf(described), { id });
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
 * The words that are known today stand in `x-known-values`.
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
