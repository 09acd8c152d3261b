/** Each operation, parameter and field as a plain page, from the OpenAPI document. */
import { type Html, html, type Page } from '../page.ts';
import { docsLinks } from './paths.ts';

type Json = Readonly<Record<string, unknown>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly examples?: readonly unknown[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: Json }>
  >;
}

/** An OpenAPI document that is published below a path. */
export interface Published {
  readonly path: string;
  readonly name: string;
  readonly document: object;
}

/** The parts of it that are shown. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Fields below this many others are left to the document itself. */
const DEEPEST = 6;
const KINDS: Readonly<Record<string, string>> = {
  string: 'texto',
  integer: 'entero',
  number: 'número',
  boolean: 'sí o no',
  array: 'lista',
  object: 'objeto',
  null: 'null',
};
const PLACES: Readonly<Record<Parameter['in'], string>> = {
  path: 'en la dirección',
  query: 'parámetro',
  header: 'encabezado',
};

export function referencePage(published: readonly Published[]): Page {
  return {
    title: 'Referencia de la API',
    isWide: true,
    body: html`${docsLinks('plain')}
      <p>Lo mismo, para tus herramientas: ${published.map(
        ({ path }) => html`<a href="${path}/openapi.json"><code>${path}/openapi.json</code></a> `,
      )}</p>
      ${published.map(({ name, document }) => apiHtml(name, document as Document))}`,
  };
}

function apiHtml(name: string, document: Document): Html {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return html`<h2>${name}</h2>
    <ul>${operations.map(
      ({ operation }) =>
        html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
    )}</ul>
    ${operations.map(
      ({ path, method, operation }) => html`<section>
      <h3 id="${operation.operationId}">${operation.summary}</h3>
      <p><code>${method.toUpperCase()} ${path}</code></p>
      <p>${inline(operation.description)}</p>
      ${parametersHtml(operation)}
      ${bodyHtml(document, operation)}
      ${answersHtml(document, operation)}
    </section>`,
    )}`;
}

function parametersHtml({ parameters }: Described): Html {
  if (parameters.length === 0) return html``;
  return html`<h4>Parámetros</h4>
    <dl>${parameters.map(
      (one) =>
        html`<dt><code>${one.name}</code> <span class="hint">${PLACES[one.in]}</span></dt><dd>${inline(one.description)}</dd>`,
    )}</dl>`;
}

function bodyHtml(document: Document, { requestBody }: Described): Html {
  if (!requestBody) return html``;
  const types = Object.keys(requestBody.content);
  const schema = requestBody.content['application/json']?.schema;
  return html`<h4>Cuerpo</h4>
    <p>${types.map((type) => html`<code>${type}</code> `)}</p>
    ${schema ? fieldsHtml(document, schema) : html``}`;
}

function answersHtml(document: Document, { responses }: Described): Html {
  const [[status = '', answer] = [], ...failures] = Object.entries(responses);
  const content = answer?.content['application/json'] as { readonly schema: Schema } | undefined;
  return html`<h4>Respuesta ${status}</h4>
    ${content ? fieldsHtml(document, content.schema) : html``}
    <h4>Errores</h4>
    <dl>${failures.map(
      ([code, { description }]) => html`<dt>${code}</dt><dd>${meaningsOf(description)}</dd>`,
    )}</dl>`;
}

/** The document lists them in Markdown, one code a line. */
function meaningsOf(description: string): Html[] {
  const lines = description.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => html`<p>${inline(line.replace(/^- /, ''))}</p>`);
}

interface Row {
  readonly path: string;
  readonly schema: Schema;
}

function fieldsHtml(document: Document, schema: Schema): Html {
  return html`<details><summary>Campos</summary><dl>${rowsOf(document, schema, '', 0).map(
    ({ path, schema: field }) =>
      html`<dt><code>${path}</code> <span class="hint">${kindOf(document, field)}</span></dt><dd>${inline(field.description ?? '')}</dd>`,
  )}</dl></details>`;
}

/** Every field below a schema, by its path: `data[].items[].sku`. */
function rowsOf(document: Document, given: Schema, path: string, depth: number): Row[] {
  const schema = resolved(document, given);
  if (depth === DEEPEST) return [];
  if (schema.items) return rowsOf(document, schema.items, `${path}[]`, depth + 1);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const whole = path === '' ? name : `${path}.${name}`;
    const field = resolved(document, property);
    const description = property.description ?? field.description ?? '';
    return [
      { path: whole, schema: { ...field, description } },
      ...rowsOf(document, field, whole, depth + 1),
    ];
  });
}

/** A schema without its reference, and without the `null` that it may also be. */
function resolved({ components }: Document, schema: Schema): Schema {
  const found = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  if (found.$ref === undefined) return { ...found, ...descriptionOf(schema, found) };
  const target = components.schemas[found.$ref.replace('#/components/schemas/', '')] ?? {};
  return { ...target, ...descriptionOf(schema, target) };
}

function descriptionOf(outer: Schema, inner: Schema): Pick<Schema, 'description'> {
  const description = outer.description ?? inner.description;
  return description === undefined ? {} : { description };
}

function kindOf(document: Document, schema: Schema): string {
  const { type = 'object' } = resolved(document, schema);
  return [type]
    .flat()
    .map((one) => KINDS[one] ?? one)
    .join(' o ');
}

/** Text with `code` in it. */
function inline(text: string): Html {
  const parts = text.replaceAll('&lt;', '<').split('`');
  const marked = parts.map((part, at) =>
    at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`,
  );
  return { html: marked.map((part) => part.html).join('') };
}
