/** An OpenAPI document as lines, each of which a client may rely on. */

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape, walked
type Node = any;

/** Of a schema, what no client relies on. */
const SAID = new Set(['description', 'examples', 'example', 'title', 'x-known-values']);
/** What has lines of its own. */
const APART = new Set(['properties', 'required', 'enum']);
/** How a line of an input ends that each call must have. */
export const MUST = ' must';

/** One line for each operation, parameter, input and property of an answer of 2xx; sorted. */
export function contractLines(document: Node): string[] {
  const lines = Object.entries<Node>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Node>(operations).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      return [
        name,
        ...inputsOf(document, operation, name),
        ...Object.entries<Node>(operation.responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([status, answer]) => answerOf(document, answer, `${name} ${status}`)),
      ];
    }),
  );
  return [...new Set(lines)].sort();
}

function inputsOf(document: Node, operation: Node, name: string): string[] {
  const parameters = (operation.parameters ?? []).flatMap((parameter: Node) => {
    const where = `${name} ${parameter.in} ${parameter.name}`;
    const must = parameter.required ? MUST : '';
    return [`${where} ${rulesOf(parameter.schema)}${must}`, ...values(parameter.schema, where)];
  });
  return [...parameters, ...contentsOf(document, operation.requestBody, `${name} body`)];
}

function answerOf(document: Node, answer: Node, where: string): string[] {
  const headers = Object.keys(answer.headers ?? {}).map((header) => `${where} header ${header}`);
  return [...headers, ...contentsOf(document, answer, where)];
}

function contentsOf(document: Node, node: Node, where: string): string[] {
  return Object.entries<Node>(node?.content ?? {}).flatMap(([type, { schema }]) =>
    propertiesOf(document, schema, `${where} ${type}`),
  );
}

function propertiesOf(document: Node, given: Node, where: string): string[] {
  const schema = resolved(document, given);
  if (!schema) return [];
  const branches = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [
    ...Object.entries<Node>(schema.properties ?? {}).flatMap(([name, property]) => {
      const own = resolved(document, property);
      const place = `${where} .${name}`;
      const must = schema.required?.includes(name) ? MUST : '';
      return [
        `${place} ${rulesOf(own)}${must}`,
        ...values(own, place),
        ...propertiesOf(document, own, place),
      ];
    }),
    ...(schema.items ? propertiesOf(document, schema.items, `${where} []`) : []),
    ...branches.flatMap((branch) => propertiesOf(document, branch, where)),
  ];
}

/** Each value that is taken or given; others may be added. */
function values(schema: Node, where: string): string[] {
  return (schema.enum ?? schema.items?.enum ?? []).map((value: Node) => `${where} = ${value}`);
}

/** Type and bounds. */
function rulesOf(schema: Node): string {
  const rules = Object.entries<Node>(schema)
    .filter(([rule]) => !(SAID.has(rule) || APART.has(rule)))
    .map(([rule, value]) => [rule, isSchemas(value) ? inner(value) : value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(rules));
}

function inner(value: Node): Node {
  return Array.isArray(value) ? value.map(rulesOf) : rulesOf(value);
}

function isSchemas(value: Node): boolean {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === 'object' && one !== null;
}

function resolved(document: Node, schema: Node): Node {
  return schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
}
