import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../src/entrances/rest/openapi.ts';
import { joined } from '../../src/entrances/rest/operation.ts';
import { V1 } from '../../src/entrances/rest/v1.ts';
import { UNNAMED } from '../support/operator.ts';

// What the published document says of the API. That every answer keeps to it, `assertKeepsContract`
// sees to.

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, walked
type Node = any;

const document = JSON.parse(
  JSON.stringify(openApiDocument(V1, 'http://localhost:3000', UNNAMED)),
) as Node;
const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(document, 'openapi');

/** Errors that any operation may answer. */
const ANYWHERE = [
  ...[
    'invalid_request',
    'missing_api_key',
    'invalid_api_key',
    'api_key_revoked',
    'api_key_expired',
  ],
  ...['plan_does_not_include_api', 'organization_suspended', 'legacy_host_gone', 'uri_too_long'],
  ...['misdirected_request', 'rate_limit_exceeded', 'too_many_requests', 'headers_too_large'],
  ...['internal_error', 'service_unavailable', 'request_timeout'],
  'version_retired',
];

test('each operation lists the error codes that it can answer, and no others', () => {
  for (const [path, own] of [
    ['/v1/orders', ['insufficient_scope', 'invalid_cursor']],
    ['/v1/orders/{id}', ['ambiguous_order_id', 'insufficient_scope', 'order_not_found']],
    ['/v1/me', []],
  ] as const) {
    const listed = failuresOf(path).flatMap(({ codes }) => codes);
    assert.deepEqual(listed.toSorted(), [...ANYWHERE, ...own].sort(), path);
  }
});

test('each error code is listed at its own status, explained, and shown as it is answered', () => {
  for (const path of Object.keys(document.paths))
    for (const { status, codes, response } of failuresOf(path)) {
      const { schema, examples } = response.content['application/json'];
      assert.deepEqual(Object.keys(examples), codes, `${path} ${status}`);
      for (const code of codes) {
        assert.ok(response.description.includes(`\`${code}\``), `${path} ${status} ${code}`);
        assertHolds(schema, examples[code].value, `${path} ${status} ${code}`);
      }
    }
});

test('what passes by itself says when to repeat: 429, 503 and 504, and no other status', () => {
  for (const path of Object.keys(document.paths)) {
    const waiting = failuresOf(path).filter(({ response }) => response.headers['Retry-After']);
    assert.deepEqual(
      waiting.map(({ status }) => Number(status)),
      [429, 503, 504],
      path,
    );
  }
});

test('shapes and operations that would replace each other in the document are an error', () => {
  const [first, second] = V1.operations;
  const { Order } = V1.shapes;
  assert.ok(first && second && Order);
  const build = (operations: typeof V1.operations, shapes = V1.shapes) =>
    openApiDocument({ ...V1, operations, shapes }, 'http://localhost:3000', UNNAMED);
  const group = { operations: [], shapes: { Order } };

  assert.throws(() => joined([V1, group]), /two shapes are named Order/);
  assert.throws(() => build(V1.operations, { Meta: Order }), /two shapes are named Meta/);
  assert.throws(
    () => build([...V1.operations, { ...second, name: first.name }]),
    new RegExp(`two operations are named ${first.name}`),
  );
  assert.throws(
    () => build([...V1.operations, { ...first, name: 'another' }]),
    new RegExp(`two operations of ${first.path} are named get`),
  );
  assert.equal(Object.keys(build(V1.operations).paths).length, V1.operations.length);
});

test('details are typed where a code has them, and only there', () => {
  const typed = Object.keys(document.paths).flatMap((path) =>
    failuresOf(path).flatMap(({ status, response }) => {
      const { details } =
        response.content['application/json'].schema.allOf[1].properties.error.properties;
      return details ? [`${path} ${status} ${details.required}`] : [];
    }),
  );
  assert.deepEqual(typed, [
    '/v1/orders 403 required_scope',
    '/v1/orders/{id} 403 required_scope',
    '/v1/orders/{id} 409 marketplaces,accounts,accounts_total',
  ]);
});

test('a client that validates by the document accepts what may be added within v1', () => {
  const order = document.components.schemas.Order.examples[0];
  const added = { ...order, marketplace: 'elektra', status: 'in_customs', gift: true };
  added.items = [{ ...order.items[0], colour: 'azul' }];
  const page = { data: [added], pagination: { next_cursor: null, has_more: false, total: 1 } };
  const detail = { ...exampleOf('OrderDetail'), status: 'in_customs', gift: true };
  assertHolds(document.components.schemas.OrderDetail, detail, 'detail');
  assertHolds(
    document.components.schemas.OrderList,
    { ...exampleOf('OrderList'), ...page, notice: 'x' },
    'list',
  );
  const error = { code: 'too_many_orders', message: 'Son demasiadas órdenes.', hint: 'x' };
  assertHolds(document.components.schemas.Error, { ...exampleOf('Error'), error }, 'error');

  for (const [name, schema] of Object.entries<Node>(document.components.schemas))
    assert.ok(!/"(additionalProperties|enum)":/.test(JSON.stringify(schema)), name);
});

test('there are only reading operations, and no status that is never answered', () => {
  for (const [path, operations] of Object.entries<Node>(document.paths)) {
    assert.deepEqual(Object.keys(operations), ['get'], path);
    const { 200: _, ...failures } = operations.get.responses;
    assert.ok(Object.keys(failures).every((status) => Number(status) >= 400));
  }
});

test('the security scheme is named clave, and every operation needs it', () => {
  assert.deepEqual(Object.keys(document.components.securitySchemes), ['clave']);
  assert.deepEqual(document.security, [{ clave: [] }]);
});

test('every property says what it is and shows an example that holds', () => {
  const properties = Object.entries<Node>(document.components.schemas).flatMap(([name, schema]) =>
    propertiesOf(schema, name),
  );
  const headers = operations().flatMap(({ path, get }) =>
    Object.values<Node>(get.responses).flatMap((response) =>
      Object.entries<Node>(response.headers).map(([name, { schema, description }]) => ({
        where: `${path} ${name}`,
        schema: { ...schema, description },
      })),
    ),
  );

  assert.ok(properties.length > 80, `${properties.length} properties`);
  for (const { where, schema } of [...properties, ...headers]) {
    assert.ok(schema.description, `${where}: no description`);
    assert.ok(schema.examples?.length > 0, `${where}: no example`);
    for (const example of schema.examples) assertHolds(schema, example, where);
  }
  for (const { path, get } of operations()) {
    const { schema, example } = get.responses[200].content['application/json'];
    assertHolds(schema, example, path);
  }
});

test('every parameter says what it is and shows an example', () => {
  for (const { path, get } of operations())
    for (const { name, description } of get.parameters)
      assert.match(description, /^[A-ZÁÉÍÓÚ].*\. Ejemplo: `[^`]+`\.$/, `${path} ${name}`);
});

test('every sentence for people is in Spanish', () => {
  const sentences = textsOf(document).map((text) => text.replace(/`[^`]*`/g, ''));

  assert.ok(sentences.length > 100);
  for (const sentence of sentences) {
    assert.match(sentence, /^[^a-z]*[A-ZÁÉÍÓÚ]|^null|^$|^- /, sentence);
    assert.doesNotMatch(
      sentence,
      /\b(the|of|and|with|for|is|are|this|that|when|or|your|not|each)\b/i,
    );
  }
});

function operations(): { path: string; get: Node }[] {
  return Object.entries<Node>(document.paths).map(([path, { get }]) => ({ path, get }));
}

function failuresOf(path: string): { status: string; codes: string[]; response: Node }[] {
  const responses = Object.entries<Node>(document.paths[path].get.responses);
  return responses
    .filter(([status]) => status !== '200')
    .map(([status, response]) => {
      const [, only] = response.content['application/json'].schema.allOf;
      return { status, codes: only.properties.error.properties.code['x-known-values'], response };
    });
}

/** Every property below a schema, at any depth. */
function propertiesOf(schema: Node, where: string): { where: string; schema: Node }[] {
  const below = [schema.items, ...(schema.anyOf ?? [])].filter(Boolean);
  return [
    ...Object.entries<Node>(schema.properties ?? {}).flatMap(([name, property]) => [
      { where: `${where}.${name}`, schema: property.$ref ? schemaAt(property.$ref) : property },
      ...propertiesOf(property, `${where}.${name}`),
    ]),
    ...below.flatMap((inner) => propertiesOf(inner, where)),
  ];
}

function schemaAt(reference: string): Node {
  return document.components.schemas[reference.replace('#/components/schemas/', '')];
}

function exampleOf(name: string): Node {
  return document.components.schemas[name].examples[0];
}

function assertHolds(schema: Node, example: unknown, where: string): void {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
  const validate = ajv.compile(absolute);
  assert.ok(validate(example), `${where}: ${ajv.errorsText(validate.errors)}`);
}

/** Whatever is written for people. */
function textsOf(node: Node): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries<Node>(node).flatMap(([name, value]) =>
    ['description', 'title'].includes(name) && typeof value === 'string' ? [value] : textsOf(value),
  );
}
