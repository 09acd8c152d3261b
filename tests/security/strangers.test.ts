import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TOOLS } from '../../src/entrances/mcp/all-tools.ts';
import { findOperation, TABLE } from '../../src/entrances/panel/contract.ts';
import { ROUTES } from '../../src/entrances/people/routes.ts';
import { MANAGE } from '../../src/entrances/rest/manage/manage.ts';
import type { Operation } from '../../src/entrances/rest/operation.ts';
import { V1 } from '../../src/entrances/rest/v1.ts';
import { newId } from '../../src/platform/ids.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { type Agent, anAgent, mcpAddress } from '../support/agents.ts';
import type { TestApp } from '../support/app.ts';
import { callTool } from '../support/mcp.ts';
import { openMailingInstance, openTeam, withSecondFactor } from '../support/people.ts';
import { openVisitor, type PageAnswer } from '../support/visitor.ts';
import { type Filled, type FilledId, fill, unknownIds } from './support/filled.ts';

// Every REST operation, tool, operation of the panel and page, as a person, key or agent of another
// organisation calls it: what is not theirs is as unknown as what does not exist, and stays as it is.

const THEIRS = 'CANARIO';
const JSON_BODY = { 'content-type': 'application/json' };

/** Pages without an organisation: public ones, or of the person alone. */
const PERSONAL = [
  '/entrar',
  '/entrar/segundo-paso',
  '/registro',
  '/verificar-correo',
  '/recuperar',
  '/restablecer',
  '/invitacion',
  '/cuenta',
  '/cuenta/segundo-paso',
  '/cuenta/segundo-paso/confirmar',
  '/cuenta/segundo-paso/quitar',
  '/cuenta/respaldo',
  '/cuenta/confirmar',
  '/cuenta/llaves/agregar',
  '/cuenta/llaves/activar',
  '/cuenta/llaves/quitar',
  '/cuenta/sesiones/cerrar',
  '/cuenta/contrasena',
  '/cuenta/salir',
  '/cuenta/salir-de-todo',
  '/privacidad',
];
/** Of these a visitor without a session sees the page itself. */
const OPEN = PERSONAL.filter((path) => !path.startsWith('/cuenta'));

/** What the `{id}` of a path names; a new path without it fails. */
const NAMED_BY_PATH: Readonly<Record<string, FilledId>> = {
  '/v1/orders/{id}': 'order',
  '/manage/v1/webhook-endpoints/{id}': 'endpoint',
  '/manage/v1/webhook-endpoints/{id}/rotate-secret': 'endpoint',
  '/manage/v1/webhook-endpoints/{id}/test': 'endpoint',
  '/manage/v1/webhook-endpoints/{id}/resend': 'endpoint',
  '/manage/v1/webhook-endpoints/{id}/attempts': 'endpoint',
  '/manage/v1/cfdi-uploads/{id}': 'upload',
  '/manage/v1/cfdis/{id}': 'uuid',
  '/manage/v1/cfdis/{id}/links': 'uuid',
  '/manage/v1/cfdis/{id}/xml': 'uuid',
  '/manage/v1/exports/{id}': 'export',
};
/** Bodies that would be accepted for one's own. */
const BODIES: Readonly<Record<string, (ids: Filled['ids']) => object>> = {
  changeWebhookEndpoint: () => ({ url: 'https://otra.example/eventos' }),
  resendEvents: ({ event }) => ({ event_id: event }),
  settleCfdiLink: ({ order }) => ({
    marketplace: 'mercado_libre',
    account_id: '468424240',
    order_id: order,
    state: 'linked',
  }),
};

/** Fields of the panel's inputs that name a thing of an organisation, by operation where they differ. */
const NAMED_BY_FIELD: Readonly<Record<string, FilledId>> = {
  attempt_id: 'attempt',
  batch_id: 'batch',
  connection_id: 'connection',
  job_id: 'job',
  line_id: 'line',
  line_ids: 'line',
  order_id: 'order',
  sku: 'sku',
  uuid: 'uuid',
  caller_id: 'key',
  'cfdis.upload-progress.id': 'upload',
  'findings.explain.id': 'finding',
  'findings.get.id': 'finding',
  'orders.get.id': 'order',
  'payouts.get.id': 'payout',
  'shipments.get.id': 'parcel',
};
/** What operations with such a field need besides. */
const BESIDE: Readonly<Record<string, object>> = {
  'billing-data.view': { marketplace: 'mercado_libre', account_id: '468424240' },
  'cfdis.link': { marketplace: 'mercado_libre', account_id: '468424240', state: 'linked' },
  'cfdis.of-order': { marketplace: 'mercado_libre', account_id: '468424240' },
  'connections.check-orders': { days: 7 },
  'connections.pause': { is_paused: true },
  'connections.rename': { name: 'Ajena' },
  'findings.explain': { note: 'Ajeno' },
  'guides.request': { idempotency_key: 'ajeno' },
  'guides.settle': { tracking_number: '1' },
  'lines.edit': { version: '2026-01-01T00:00:00.000000Z', packages: 2 },
  'payouts.get': { marketplace: 'mercado_libre', account_id: '468424240' },
  'products.add-equivalence': { marketplace: 'amazon', code: 'AZ-9' },
  'products.change': { weight_kg: '9' },
  'products.remove-equivalence': { marketplace: 'amazon', code: 'AZ-9' },
  'shipments.get': { carrier: 'paquetexpress', account_id: '77' },
  'shipments.of-order': { marketplace: 'mercado_libre', account_id: '468424240' },
  'usage.read': { span: 'day' },
  'warehouse.job': { kind: 'in_transit' },
};

let instance: TestApp;
let theirs: Filled;
let ours: Filled;
let agent: Agent;
let untouched: string;

before(async () => {
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  const teams = [await openTeam(instance, opened.folder), await openTeam(instance, opened.folder)];
  for (const { owner } of teams) await withSecondFactor(owner.visitor);
  const [other, own] = teams as [(typeof teams)[0], (typeof teams)[0]];
  theirs = await fill(instance, other, THEIRS);
  ours = await fill(instance, own, 'PROPIO');
  agent = await anAgent(instance, { organizationId: ours.organizacion });
  untouched = await digestOf(theirs.organizacion);
});

test('without credentials there is only the sign-in page', { tags: ['slow'] }, async () => {
  const stranger = openVisitor(instance.url);
  for (const operation of [...V1.operations, ...MANAGE.operations]) {
    const { status, text } = await rest(operation, null, theirs.ids);
    assert.equal(status, 401, `${operation.name}: ${text}`);
  }
  for (const { name } of TOOLS) {
    const { status, text } = await tool(name, { id: theirs.ids.order });
    assert.equal(status, 401, `${name}: ${text}`);
  }
  for (const name of Object.keys(TABLE)) {
    const { status, text } = await panel(stranger, theirs.organizacion, name, theirs.ids);
    assert.equal(status, 401, `${name}: ${text}`);
  }
  for (const [method, path] of pages()) {
    const { status, to, text } = await page(stranger, method, path, theirs);
    assert.doesNotMatch(text, new RegExp(THEIRS), path);
    if (OPEN.includes(path)) continue;
    assert.deepEqual([status, to.split('?')[0]], [303, '/entrar'], `${method} ${path}`);
  }
  assert.equal(await digestOf(theirs.organizacion), untouched);
});

test('a key of another organisation: what is not its own is as unknown as what does not exist', {
  tags: ['slow'],
}, async () => {
  const absent = unknownIds();
  for (const operation of [...V1.operations, ...MANAGE.operations]) {
    const foreign = await rest(operation, ours.key, theirs.ids);
    assert.doesNotMatch(foreign.text, new RegExp(THEIRS), operation.name);
    if (!operation.path.includes('{id}')) continue;
    const unknown = await rest(operation, ours.key, absent);
    assert.equal(foreign.status, 404, `${operation.name}: ${foreign.text}`);
    assert.equal(shown(foreign.text, theirs.ids), shown(unknown.text, absent), operation.name);
  }
  assert.equal(await digestOf(theirs.organizacion), untouched);
});

test('an agent of another organisation: no tool says a word of it', async () => {
  for (const { name, input } of TOOLS) {
    const { order, uuid, parcel, sku } = theirs.ids;
    const given: Readonly<Record<string, unknown>> = {
      id: order,
      order_id: order,
      uuid,
      tracking_number: parcel,
      sku,
      ...(name === 'get_sales_summary' && { from: '2026-11-01', to: '2026-11-30' }),
    };
    const named = Object.entries(given).filter(([field]) => field in input.shape);
    const { text } = await callTool(instance, agent, name, Object.fromEntries(named));
    const asked = new RegExp(`${order}|${uuid}|${parcel}|${sku}`, 'g');
    assert.doesNotMatch(text.replaceAll(asked, ''), new RegExp(THEIRS), `${name}: ${text}`);
  }
  assert.equal(await digestOf(theirs.organizacion), untouched);
});

test('a person of another organisation: its panel is unknown, and its things are not in theirs', {
  tags: ['slow'],
}, async () => {
  const { visitor } = ours.owner;
  const absent = unknownIds();
  for (const name of Object.keys(TABLE)) {
    const foreign = await panel(visitor, theirs.organizacion, name, theirs.ids);
    const none = await panel(visitor, newId(), name, theirs.ids);
    assert.equal(foreign.status, 404, `${name}: ${foreign.text}`);
    assert.equal(shown(foreign.text, theirs.ids), shown(none.text, theirs.ids), name);
    if (idsOf(name).length === 0) continue;
    const within = await panel(visitor, ours.organizacion, name, theirs.ids);
    const unknown = await panel(visitor, ours.organizacion, name, absent);
    assert.notEqual(within.status, 400, `${name}: ${within.text}`);
    assert.equal(within.status, unknown.status, `${name}: ${within.text}`);
    assert.equal(shown(within.text, theirs.ids), shown(unknown.text, absent), name);
  }
  assert.equal(await digestOf(theirs.organizacion), untouched);
});

test('a person of another organisation: an archive of its CFDI is empty', async () => {
  assert.equal(await archiveOf(theirs.ids), await archiveOf(unknownIds()));
  assert.notEqual(await archiveOf(ours.ids), await archiveOf(theirs.ids));
});

test('a person of another organisation: each page and form answers as if it were not there', {
  tags: ['slow'],
}, async () => {
  const { visitor } = ours.owner;
  const absent = unknownIds();
  const nowhere = { ...theirs, organizacion: newId() };
  for (const [method, path] of pages()) {
    if (PERSONAL.includes(path)) continue;
    const foreign = await page(visitor, method, path, theirs);
    const none = await page(visitor, method, path, nowhere);
    assert.deepEqual(
      [foreign.status, shown(foreign.to, theirs.ids)],
      [none.status, shown(none.to, theirs.ids).replace(nowhere.organizacion, theirs.organizacion)],
      `${method} ${path}`,
    );
    const within = await page(visitor, method, path, { ...ours, ids: theirs.ids });
    const unknown = await page(visitor, method, path, { ...ours, ids: absent });
    assert.equal(within.status, unknown.status, `${method} ${path}`);
    for (const { text } of [foreign, within])
      assert.doesNotMatch(shown(text, theirs.ids), new RegExp(THEIRS), `${method} ${path}`);
  }
  assert.equal(await digestOf(theirs.organizacion), untouched);
});

function rest({ write, path, name }: Operation, key: string | null, ids: Filled['ids']) {
  const named = NAMED_BY_PATH[path];
  assert.ok(named || !path.includes('{id}'), `${path} is not in NAMED_BY_PATH`);
  const address = named ? path.replace('{id}', encodeURIComponent(ids[named])) : path;
  const body =
    write?.method === 'POST' || write?.method === 'PATCH' ? BODIES[name]?.(ids) : undefined;
  return instance.api(
    address,
    {},
    {
      key,
      method: write?.method ?? 'GET',
      ...(body && { body: JSON.stringify(body), headers: JSON_BODY }),
    },
  );
}

async function tool(name: string, given: object): Promise<{ status: number; text: string }> {
  const params = { name, arguments: given };
  const response = await fetch(mcpAddress(instance), {
    method: 'POST',
    headers: { ...JSON_BODY, accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  return { status: response.status, text: await response.text() };
}

/** The fields of an operation's input that name a thing, with what they name. */
function idsOf(name: string): [string, FilledId][] {
  const fields = Object.keys(findOperation(name)?.input.shape ?? {});
  return fields.flatMap((field): [string, FilledId][] => {
    const named = NAMED_BY_FIELD[`${name}.${field}`] ?? NAMED_BY_FIELD[field];
    assert.ok(
      named || !/(^|_)(id|ids|uuid)$/.test(field) || ACCOUNTS.has(field),
      `${name}.${field}`,
    );
    return named ? [[field, named]] : [];
  });
}

/** The id of an account at a marketplace: a filter, and the same in many organisations. */
const ACCOUNTS = new Set(['account_id']);

function panel(
  visitor: Filled['owner']['visitor'],
  organizacion: string,
  name: string,
  ids: Filled['ids'],
): Promise<PageAnswer> {
  const named = idsOf(name).map(([field, id]) => [field, ids[id]] as const);
  const path = `/panel/api/${organizacion}/${name}`;
  if (findOperation(name)?.kind === 'write') {
    const texts = named.map(([field, id]) => [field, field === 'line_ids' ? [id] : id]);
    return visitor.ask(path, { ...Object.fromEntries(texts), ...BESIDE[name] });
  }
  const query = { ...Object.fromEntries(named), ...BESIDE[name] } as Record<string, string>;
  return visitor.get(`${path}?${new URLSearchParams(query)}`);
}

function pages(): ['GET' | 'POST', string][] {
  return Object.entries(ROUTES).flatMap(([path, route]) =>
    (['GET', 'POST'] as const).flatMap((method): ['GET' | 'POST', string][] =>
      route[method] ? [[method, path]] : [],
    ),
  );
}

/** Every field that a page reads, so that each finds its own. */
function page(
  visitor: Filled['owner']['visitor'],
  method: 'GET' | 'POST',
  path: string,
  { organizacion, ids }: Pick<Filled, 'organizacion' | 'ids'>,
): Promise<PageAnswer> {
  const fields = {
    organizacion,
    clave: ids.key,
    endpoint: ids.endpoint,
    evento: ids.event,
    exportacion: ids.export,
    invitacion: ids.invitation,
    persona: ids.person,
    rol: 'member',
    estado: 'disabled',
  };
  return method === 'GET'
    ? visitor.get(`${path}?${new URLSearchParams(fields)}`)
    : visitor.post(path, fields);
}

/** What the archive of one document holds. */
async function archiveOf({ uuid }: Filled['ids']): Promise<string> {
  const path = `/panel/api/${ours.organizacion}/cfdis.archive?uuid=${uuid}`;
  const { text } = await ours.owner.visitor.get(path);
  const answer = await fetch(JSON.parse(text).url);
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer()).toString('hex');
}

/** A text without what was asked for and without what each request has of its own. */
function shown(text: string, ids: Filled['ids']): string {
  const asked = Object.values(ids).reduce((rest, id) => rest.replaceAll(id, '<id>'), text);
  return (
    asked
      .replaceAll(/req_\w+/g, '<request>')
      // The token of an archive holds its filters.
      .replaceAll(/(?<=\/descargas\/cfdi\/)[\w-]+/g, '<token>')
      .replaceAll(/[0-9a-f-]{36}/g, '<id>')
  );
}

/** Every row of an organisation, whatever its table. */
async function digestOf(organizationId: string): Promise<string> {
  return instance.app.database.write(async (handle) => {
    const tables = (await handle.sql(
      `select table_name as name from information_schema.columns
        where table_schema = 'public' and column_name = 'organization_id' order by 1`,
      [],
    )) as { name: string }[];
    assert.ok(tables.length > 40, String(tables.length));
    const digests: string[] = [];
    for (const { name } of tables) {
      const [row] = await handle.sql(
        `select count(*), md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest
           from ${name} t where organization_id = $1`,
        [organizationId],
      );
      digests.push(`${name} ${JSON.stringify(row)}`);
    }
    return digests.join('\n');
  });
}
