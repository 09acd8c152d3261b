import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { changePlan } from '../src/features/organizations/index.ts';
import { orderStatuses } from '../src/words/codes.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { PLACEHOLDER, scriptFor } from './support/google/sheet.ts';
import { joined, openMailingInstance, openTeam } from './support/people.ts';
import { openVisitor } from './support/visitor.ts';

// The page from which people copy the templates for spreadsheets.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
const PAGE = '/cuenta/hoja';
const LARGEST_PAGE = 15 * 1_024;
const LARGEST_SCRIPT = 3 * 1_024;

test('the page gives both templates with the address of this installation, and names no key', async () => {
  const { owner } = await openTeam(instance, folder);

  const { status, text } = await owner.visitor.get(PAGE);
  const [script = '', query = ''] = textsIn(text);

  const { publicUrl } = instance.app.exchange;
  const template = readFileSync(new URL('../sheets/tianguis.m', import.meta.url), 'utf8');
  assert.equal(status, 200);
  assert.equal(script, scriptFor(publicUrl));
  assert.equal(query, template.replace(PLACEHOLDER, publicUrl));
  assert.ok(script.includes(`'${publicUrl}'`) && query.includes(`"${publicUrl}"`));
  assert.doesNotMatch(text, /tgs_[0-9A-Za-z]{20}/);
});

test('both templates write the same word for every status of an order', () => {
  const wordsIn = (file: string, pair: RegExp) => {
    const template = readFileSync(new URL(`../sheets/${file}`, import.meta.url), 'utf8');
    const pairs = [...template.matchAll(pair)].map(([, code, word]) => [code, word] as const);
    return Object.fromEntries(pairs.filter(([code = '']) => code in orderStatuses));
  };
  const google = wordsIn('tianguis.gs', /^ {2}(\w+): '([^']+)',$/gm);
  const excel = wordsIn('tianguis.m', /^ {8}(\w+) = "([^"]+)",?$/gm);
  const template = readFileSync(new URL('../sheets/tianguis.m', import.meta.url), 'utf8');

  assert.deepEqual(Object.keys(google), Object.keys(orderStatuses));
  assert.deepEqual(excel, google);
  assert.deepEqual(
    template.match(/\S*o\[status\]\S*/g),
    ['Estado(o[status]),', 'Estado(o[status]),'],
    'no row has a code',
  );
});

test('it has four steps with pictures, works without script, and is small', async () => {
  const { owner } = await openTeam(instance, folder);

  const { text, headers } = await owner.visitor.get(PAGE);
  const { text: script } = await owner.visitor.get('/pagina/copiar.js');
  const google = text.slice(text.indexOf('id="google"'), text.indexOf('id="excel"'));

  assert.equal(google.match(/<li>/g)?.length, 4);
  assert.equal(google.match(/<svg [^>]*role="img" aria-label="[^"]{20,}"/g)?.length, 4);
  assert.equal(text.match(/<button type="button" [^>]*hidden>/g)?.length, 2);
  const frame = textsIn(text, (each) => each).reduce((rest, each) => rest.replace(each, ''), text);
  assert.ok(Buffer.byteLength(frame) <= LARGEST_PAGE, `${Buffer.byteLength(frame)} bytes`);
  assert.ok(Buffer.byteLength(script) <= LARGEST_SCRIPT, `${Buffer.byteLength(script)} bytes`);
  assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'/);
  assert.doesNotMatch(text, /style="|onclick=|<script(?! src="\/pagina\/)/);
});

test('it says where the plan lacks the API, and who gives a key to whom', async () => {
  const { owner, organizacion } = await openTeam(instance, folder);
  const member = await joined(instance, folder, organizacion, { by: owner, role: 'member' });
  const address = `${PAGE}?organizacion=${organizacion}`;

  const before = await owner.visitor.get(address);
  const change = { organizationId: organizacion, plan: 'intermedio', quota: null } as const;
  await instance.app.database.write((handle) => changePlan(handle, instance.clock, change));
  const after = await owner.visitor.get(address);
  const toMember = await member.visitor.get(address);

  assert.match(before.text, /Tu plan Demo no incluye la API.*>Ver los planes</);
  assert.match(before.text, /href="\/cuenta\/claves/);
  assert.doesNotMatch(
    toMember.text.slice(toMember.text.indexOf('<main')),
    /href="\/cuenta\/claves/,
  );
  assert.doesNotMatch(after.text, /no incluye la API/);
  assert.match(after.text, /Se crea en <a href="\/cuenta\/claves\?organizacion=/);
  assert.match(toMember.text, /Pídela a quien administra tu organización/);
});

test('the page of keys leads to it, and strangers sign in first', async () => {
  const { owner } = await openTeam(instance, folder);

  const keys = await owner.visitor.get('/cuenta/claves');
  const stranger = await openVisitor(instance.url).get(PAGE);

  assert.match(keys.text, /href="\/cuenta\/hoja\?organizacion=[^"]+">Hojas de cálculo/);
  assert.deepEqual([stranger.status, stranger.to], [303, '/entrar?volver=%2Fcuenta%2Fhoja']);
});

/** What stands in the page's text areas. */
function textsIn(page: string, read = unescaped): string[] {
  return [...page.matchAll(/<textarea [^>]*>([^<]*)<\/textarea>/g)].map(([, text = '']) =>
    read(text),
  );
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
