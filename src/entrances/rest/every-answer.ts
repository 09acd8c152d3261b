/** What every answer of the API has, and what an error is. */
import { z } from 'zod';
import { MARKETPLACES } from '../../connectors/contract.ts';
import { FAILURES, type FailureCode } from '../../platform/failures.ts';
import { type Described, schemaOf, shape, text, word } from '../../platform/fields.ts';

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

export const EVERY_SHAPE: Readonly<Record<string, Described>> = {
  Meta: META,
  Error: shape('Por qué no se pudo atender la solicitud.', { error: PROBLEM, meta: META }),
};

function problem(code: FailureCode): object {
  return { code, message: FAILURES[code].message };
}
