import type { Operator } from '../../platform/operator.ts';
import type { Parameter } from '../query.ts';
import { ANSWER_HEADERS } from './answer-headers.ts';
import type { BodyInput, FileInput } from './body-input.ts';
import { failureAnswers, type ShownErrors } from './failure-answers.ts';
import { type Api, byName, methodOf, type Operation } from './operation.ts';
import { exampleOf, schemasOf } from './schemas.ts';

/**
 * The OpenAPI 3.1 document, from the same tables that read the requests.
 * @throws Error where two shapes or operations have one name, or two operations one path and method
 */
export function openApiDocument(api: Api, publicUrl: string, operator: Operator) {
  const { operatorName: name, supportEmail: email } = operator;
  const contact = { ...(name !== null && { name }), ...(email !== null && { email }) };
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: '1',
      description: api.introduction,
      ...(Object.keys(contact).length > 0 && { contact }),
    },
    servers: [{ url: publicUrl, description: 'Esta instalación.' }],
    security: [{ clave: [] }],
    paths: pathsOf(api, { operator, publicUrl: () => publicUrl }),
    components: {
      securitySchemes: {
        clave: { type: 'http', scheme: 'bearer', description: 'Tu clave de API.' },
      },
      schemas: schemasOf(api),
    },
  };
}

function pathsOf(api: Api, shown: ShownErrors): Record<string, Record<string, object>> {
  byName(
    'operations',
    api.operations.map((operation) => [operation.name, operation]),
  );
  const byPath = Object.groupBy(api.operations, ({ path }) => path);
  return Object.fromEntries(
    Object.entries(byPath).map(([path, operations = []]) => [
      path,
      byName(
        `operations of ${path}`,
        operations.map((operation) => [
          methodOf(operation).toLowerCase(),
          describe(api, operation, shown),
        ]),
      ),
    ]),
  );
}

function describe(api: Api, operation: Operation, shown: ShownErrors) {
  const { idMeans, write } = operation;
  const inPath = idMeans
    ? [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: withExample(idMeans.description, idMeans.example),
          schema: { type: 'string', minLength: 1 },
        },
      ]
    : [];
  const inQuery = Object.entries(operation.query.parameters).map(([name, parameter]) =>
    queryParameter(name, parameter),
  );
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: operation.description,
    parameters: [...inPath, ...inQuery, ...(write?.isOnce ? [IDEMPOTENCY] : [])],
    ...(write?.body && { requestBody: bodyOf(write.body) }),
    responses: {
      [write?.status ?? 200]: {
        description: 'Éxito.',
        headers: ANSWER_HEADERS,
        content: {
          'application/json': {
            schema: named(operation.answer),
            example: exampleOf(api, operation.answer),
          },
        },
      },
      ...failureAnswers(operation, shown),
    },
  };
}

const IDEMPOTENCY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: withExample(
    'Un texto único de tu elección, de caracteres ASCII sin espacios: si repites la solicitud con el mismo en 24 horas, no se hace otra vez y recibes la primera respuesta.',
    '4f9c1c1e-7a52-4c1e-9d6f-0b7f3f2d9a10',
  ),
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

function bodyOf(body: BodyInput | FileInput) {
  if (!('types' in body)) {
    const { schema, example } = body;
    return { required: true, content: { 'application/json': { schema, example } } };
  }
  const file = { schema: { type: 'string', format: 'binary' } };
  return { required: true, content: Object.fromEntries(body.types.map((type) => [type, file])) };
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

/** In words: tools that try requests send a parameter's own example. */
function withExample(description: string, example: string): string {
  return `${description} Ejemplo: \`${example}\`.`;
}

function named(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}
