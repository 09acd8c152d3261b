import { FAILURES, type FailureCode } from '../../platform/failures.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import type { Parameter } from './parameters.ts';
import { exampleOf, failureExample, REQUEST_ID_EXAMPLE, SCHEMAS } from './schemas.ts';

const INTRODUCTION = `API REST de Tianguis, versión 1. Reúne las órdenes de tus marketplaces en un solo lugar.

**Autenticación.** Envía tu clave en \`Authorization: Bearer <clave>\`. La API está incluida desde el plan Intermedio.

**Cuota.** 500 solicitudes por minuto por organización (Experto: a la medida), compartidas con el punto de acceso para agentes. Cada respuesta
trae \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` y \`X-RateLimit-Reset\`. Ante un 429 espera los segundos de \`Retry-After\` (con un poco de
variación al azar) y repite; si vuelve a fallar, duplica la espera hasta 30 segundos.

**Sincronización.** Consulta \`/v1/orders?updated_since=…\`, recorre todas las páginas y usa \`meta.as_of\` como \`updated_since\` de la siguiente vez.
La entrega es de al menos una vez: guarda por \`marketplace\`, \`account_id\` e \`id\`. Las órdenes nunca desaparecen; cambian de estado.

**Solo lectura.** Cada operación se pide con \`GET\`; \`HEAD\` da los mismos encabezados sin el cuerpo.

**Compatibilidad.** Dentro de v1 pueden aparecer campos, valores, parámetros opcionales y códigos nuevos; tu programa debe tolerarlos.`;

const HEADERS = {
  'X-RateLimit-Limit': header('Solicitudes por ventana.', 'integer', 500),
  'X-RateLimit-Remaining': header('Solicitudes que quedan en la ventana.', 'integer', 499),
  'X-RateLimit-Reset': header('Segundo (época Unix) en que termina la ventana.', 'integer', 1794852060),
  'X-Request-Id': header(
    'Identificador de la solicitud; igual a meta.request_id.',
    'string',
    REQUEST_ID_EXAMPLE,
  ),
};
const RETRY_AFTER = { 'Retry-After': header('Segundos que hay que esperar.', 'integer', 30) };
const WAIT_TOLD = [429, 503];

/** The OpenAPI 3.1 document, from the same tables that read the requests. */
export function openApiDocument(publicUrl: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'Tianguis', version: '1', description: INTRODUCTION },
    servers: [{ url: publicUrl, description: 'Esta instalación.' }],
    security: [{ clave: [] }],
    paths: Object.fromEntries(OPERATIONS.map((operation) => [operation.path, { get: describe(operation) }])),
    components: {
      securitySchemes: { clave: { type: 'http', scheme: 'bearer', description: 'Tu clave de API.' } },
      schemas: SCHEMAS,
    },
  };
}

function describe(operation: Operation) {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: withExample(
      'Identificador externo de la orden; codifica los caracteres especiales (%2F, %23).',
      '2000009876543210',
    ),
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(operation.parameters).map(([name, parameter]) =>
    queryParameter(name, parameter),
  );
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: operation.description,
    parameters: [...inPath, ...inQuery],
    responses: {
      200: {
        description: 'Éxito.',
        headers: HEADERS,
        content: {
          'application/json': { schema: named(operation.answer), example: exampleOf(operation.answer) },
        },
      },
      ...Object.fromEntries(
        Object.entries(Object.groupBy(operation.failures, (code) => FAILURES[code].status)).map(
          ([status, codes = []]) => [status, failureAnswer(Number(status), codes)],
        ),
      ),
    },
  };
}

function queryParameter(name: string, { description, schema, example, isList }: Parameter) {
  return {
    name,
    in: 'query',
    required: false,
    description: withExample(description, [example].flat().join()),
    schema,
    ...(isList && { style: 'form', explode: false }),
  };
}

/** In words: tools that try requests send whatever stands in a parameter's own example. */
function withExample(description: string, example: string): string {
  return `${description} Ejemplo: \`${example}\`.`;
}

/** Only these codes come with this status, and each is shown as it comes. */
function failureAnswer(status: number, codes: readonly FailureCode[]) {
  const meanings = codes.map((code) => `- \`${code}\`: ${FAILURES[code].message.replaceAll('<', '&lt;')}`);
  const only = { properties: { error: { properties: { code: { enum: codes } } } } };
  const examples = codes.map((code) => [code, { summary: code, value: failureExample(code) }]);
  return {
    description: meanings.join('\n'),
    headers: { ...HEADERS, ...(WAIT_TOLD.includes(status) && RETRY_AFTER) },
    content: {
      'application/json': {
        schema: { allOf: [named('Error'), only] },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function named(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}

function header(description: string, type: string, example: unknown) {
  return { description, schema: { type, examples: [example] } };
}
