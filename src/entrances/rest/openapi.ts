import { USUAL_QUOTA } from '../../features/plans/index.ts';
import type { Operator } from '../../platform/operator.ts';
import { ANSWER_HEADERS } from './answer-headers.ts';
import { failureAnswers } from './failure-answers.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import type { Parameter } from './query.ts';
import { exampleOf, SCHEMAS } from './schemas.ts';

const INTRODUCTION = `API REST de Tianguis, versión 1. Reúne las órdenes de tus marketplaces en un solo lugar.

**Autenticación.** Envía tu clave en \`Authorization: Bearer <clave>\`. La API está incluida desde el plan Intermedio.

**Cuota.** ${USUAL_QUOTA} solicitudes por minuto por organización (Experto: a la medida), compartidas con el punto de acceso para agentes. Cada respuesta
trae \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` y \`X-RateLimit-Reset\`. Ante un 429 espera los segundos de \`Retry-After\` (con un poco de
variación al azar) y repite; si vuelve a fallar, duplica la espera hasta 30 segundos.

**Sincronización.** Consulta \`/v1/orders?updated_since=…\`, recorre todas las páginas y usa \`meta.as_of\` como \`updated_since\` de la siguiente vez.
La entrega es de al menos una vez: guarda por \`marketplace\`, \`account_id\` e \`id\`. Las órdenes nunca desaparecen; cambian de estado.
Sincroniza sin el filtro \`status\`: con él no te enteras de las órdenes que dejaron ese estado.
Cuando una versión nueva de Tianguis agrega o corrige campos, volvemos a leer las órdenes guardadas durante unas horas: muchas órdenes antiguas
pueden aparecer con otro \`last_updated\`, sin que haya ningún evento. Recorre las páginas como siempre.

**Solo lectura.** Cada operación se pide con \`GET\`; \`HEAD\` da los mismos encabezados sin el cuerpo.

**Compatibilidad.** Dentro de v1 pueden aparecer campos, valores, parámetros opcionales y códigos nuevos; tu aplicación debe tolerarlos.`;

/** The OpenAPI 3.1 document, from the same tables that read the requests. */
export function openApiDocument(publicUrl: string, operator: Operator) {
  const { operatorName: name, supportEmail: email } = operator;
  const contact = { ...(name !== null && { name }), ...(email !== null && { email }) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tianguis',
      version: '1',
      description: INTRODUCTION,
      ...(Object.keys(contact).length > 0 && { contact }),
    },
    servers: [{ url: publicUrl, description: 'Esta instalación.' }],
    security: [{ clave: [] }],
    paths: Object.fromEntries(
      OPERATIONS.map((operation) => [operation.path, { get: describe(operation, operator) }]),
    ),
    components: {
      securitySchemes: {
        clave: { type: 'http', scheme: 'bearer', description: 'Tu clave de API.' },
      },
      schemas: SCHEMAS,
    },
  };
}

function describe(operation: Operation, operator: Operator) {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: withExample(
      'Identificador externo de la orden; codifica los caracteres especiales (%2F, %23).',
      '2000009876543210',
    ),
    schema: { type: 'string', minLength: 1 },
  }));
  const inQuery = Object.entries(operation.query.parameters).map(([name, parameter]) =>
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
        headers: ANSWER_HEADERS,
        content: {
          'application/json': {
            schema: named(operation.answer),
            example: exampleOf(operation.answer),
          },
        },
      },
      ...failureAnswers(operation, operator),
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

function named(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}
