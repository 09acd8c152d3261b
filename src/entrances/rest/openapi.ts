import { FAILURES } from '../../platform/failures.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import type { Parameter } from './parameters.ts';
import { SCHEMAS } from './schemas.ts';

const INTRODUCTION = `API REST de Tianguis, versión 1. Reúne las órdenes de tus marketplaces en un solo lugar.

**Autenticación.** Envía tu clave en \`Authorization: Bearer <clave>\`. La API está incluida desde el plan Intermedio.

**Cuota.** 500 solicitudes por minuto por organización (Experto: a la medida), compartidas con el punto de acceso para agentes. Cada respuesta
trae \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` y \`X-RateLimit-Reset\`. Ante un 429 espera los segundos de \`Retry-After\` (con un poco de
variación al azar) y repite; si vuelve a fallar, duplica la espera hasta 30 segundos.

**Sincronización.** Consulta \`/v1/orders?updated_since=…\`, recorre todas las páginas y usa \`meta.as_of\` como \`updated_since\` de la siguiente vez.
La entrega es de al menos una vez: guarda por \`marketplace\`, \`account_id\` e \`id\`. Las órdenes nunca desaparecen; cambian de estado.

**Compatibilidad.** Dentro de v1 pueden aparecer campos, valores, parámetros opcionales y códigos nuevos; tu programa debe tolerarlos.`;

const QUOTA_HEADERS = {
  'X-RateLimit-Limit': header('Solicitudes por ventana.', 'integer'),
  'X-RateLimit-Remaining': header('Solicitudes que quedan en la ventana.', 'integer'),
  'X-RateLimit-Reset': header('Segundo (época Unix) en que termina la ventana.', 'integer'),
  'X-Request-Id': header('Identificador de la solicitud; igual a meta.request_id.', 'string'),
};

/** The OpenAPI 3.1 document, from the same tables that read the requests. */
export function openApiDocument(publicUrl: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'Tianguis', version: '1', description: INTRODUCTION },
    servers: [{ url: publicUrl }],
    security: [{ key: [] }],
    paths: Object.fromEntries(OPERATIONS.map((operation) => [operation.path, { get: describe(operation) }])),
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'Tu clave de API.' } },
      schemas: SCHEMAS,
    },
  };
}

function describe(operation: Operation) {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'Identificador externo de la orden; codifica los caracteres especiales (%2F, %23).',
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
      200: answer('Éxito.', operation.answer, QUOTA_HEADERS),
      ...Object.fromEntries(operation.failures.map((status) => [status, failureAnswer(status)])),
    },
  };
}

function queryParameter(name: string, { description, schema, example, isList }: Parameter) {
  return {
    name,
    in: 'query',
    required: false,
    description: example === undefined ? description : `${description} Ejemplo: \`${example}\`.`,
    schema,
    ...(isList && { style: 'form', explode: false }),
  };
}

function failureAnswer(status: number) {
  const codes = Object.entries(FAILURES)
    .filter(([, row]) => row.status === status)
    .map(([code, row]) => `- \`${code}\`: ${row.message.replaceAll('<', '&lt;')}`);
  const waits =
    status === 429 || status === 503
      ? { 'Retry-After': header('Segundos que hay que esperar.', 'integer') }
      : {};
  return answer(codes.join('\n'), 'Error', { ...QUOTA_HEADERS, ...waits });
}

function answer(description: string, schema: string, headers: object) {
  return {
    description,
    headers,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}

function header(description: string, type: string) {
  return { description, schema: { type } };
}
