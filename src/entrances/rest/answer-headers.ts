import { REQUEST_ID_EXAMPLE } from './every-answer.ts';

/** The headers of every answer, as the OpenAPI document describes them. */
export const ANSWER_HEADERS = {
  'X-RateLimit-Limit': header('Solicitudes por ventana.', 'integer', 500),
  'X-RateLimit-Remaining': header('Solicitudes que quedan en la ventana.', 'integer', 499),
  'X-RateLimit-Reset': header(
    'Segundo (época Unix) en que termina la ventana.',
    'integer',
    1794852060,
  ),
  'X-Request-Id': header(
    'Identificador de la solicitud; igual a meta.request_id.',
    'string',
    REQUEST_ID_EXAMPLE,
  ),
};

export function header(description: string, type: string, example: unknown) {
  return { description, schema: { type, examples: [example] } };
}
