import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { MANAGE } from '../../src/entrances/rest/manage/manage.ts';
import { openApiDocument } from '../../src/entrances/rest/openapi.ts';
import { V1 } from '../../src/entrances/rest/v1.ts';
import { UNNAMED } from './operator.ts';

interface Documented {
  readonly responses: Readonly<Record<string, object>>;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);

const DOCUMENTS = [V1, MANAGE].map((api) => {
  const document = openApiDocument(api, 'http://localhost:3000', UNNAMED) as unknown as OpenApi;
  const name = api.path.replaceAll('/', '-');
  ajv.addSchema(closed(document) as object, name);
  return { name, path: api.path, document };
});
const ROUTES = DOCUMENTS.flatMap(({ name, document }) =>
  Object.entries(document.paths).map(([path, methods]) => ({
    ...{ name, path, methods },
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  })),
);
const QUOTA_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

export interface SeenAnswer {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Holds an answer against the published OpenAPI document and the promises that hold for every
 * answer.
 */
export function assertKeepsContract({ method, url, status, headers, text }: SeenAnswer): void {
  const where = `${method} ${url} → ${status}`;
  for (const name of QUOTA_HEADERS)
    assert.match(headers.get(name) ?? '', /^\d+$/, `${where}: ${name}`);
  const requestId = headers.get('x-request-id');
  assert.match(requestId ?? '', /^req_/, `${where}: x-request-id`);
  if (method === 'HEAD') return;
  const path = new URL(url).pathname;
  const body = JSON.parse(text);
  if (DOCUMENTS.some((one) => path === `${one.path}/openapi.json`) && status === 200) return;
  assert.equal(body.meta?.request_id, requestId, `${where}: meta.request_id`);

  const route = ROUTES.find(({ pattern }) => pattern.test(path));
  const documented = route?.methods[method.toLowerCase()];
  if (!route || !documented || (status === 404 && body.error?.code === 'not_found'))
    return assertMatches('-v1#/components/schemas/Error', body, where, status >= 400);
  assert.ok(documented.responses[status], `${where}: the status is not documented`);
  const at = route.path.replaceAll('~', '~0').replaceAll('/', '~1');
  const pointer = `#/paths/${at}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`;
  assertMatches(`${route.name}${pointer}`, body, where, true);
}

/**
 * The published document allows additions within v1. What we answer today is held to exactly what
 * it names.
 */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const { 'x-known-values': words, ...rest } = node as Record<string, unknown>;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'examples' ? value : closed(value)]),
  );
  const isWhole = inner.type === 'object' && Array.isArray(inner.required);
  return {
    ...inner,
    ...(isWhole && { additionalProperties: false }),
    ...(words !== undefined && { enum: words }),
  };
}

function assertMatches(pointer: string, body: unknown, where: string, expected: boolean): void {
  if (!expected) return;
  const validate =
    ajv.getSchema(encodeURI(pointer).replaceAll('{', '%7B').replaceAll('}', '%7D')) ??
    ajv.compile({ $ref: pointer });
  assert.ok(
    validate(body),
    `${where}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body).slice(0, 500)}`,
  );
}
