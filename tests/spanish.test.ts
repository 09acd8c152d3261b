import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { test } from 'node:test';
import { SITE_PAGES } from '../src/platform/site-pages.ts';
import { orderStatuses } from '../src/words/codes.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openMailingInstance, openTeam } from './support/people.ts';
import { openVisitor } from './support/visitor.ts';

// What people read says one word for one thing, and names only places that exist.

/** The word that is said, and those that are not said for the same thing. */
const WORDS: readonly (readonly [say: string, not: RegExp])[] = [
  ['rol', /\bpapel(es)?\b/iu],
  ['aplicación', /\bprogramas?\b(?! trae)/iu],
  ['webhook', /\bavisos\b(?!@)|\bnotificaciones\b/iu],
  ['alerta', /\bavisos abiertos\b/iu],
  ['cerrar sesión', /\bsalir (?:de|en) tod[oa]s\b/iu],
  ['iniciar sesión', /\bno has entrado\b|\bloguear/iu],
  ['al día', /\bal corriente\b/iu],
  ['verificación en dos pasos', /\bsegundo paso\b|\bdoble factor\b/iu],
  ['automáticamente', /\bseguimos solos\b|\bde nuevo solos\b|\bpor sí solo\b/iu],
  ['operador', /\bquien opera\b/iu],
  ['dígitos', /\bcifras\b/iu],
  ['artículos, resultados', /\brenglones\b/iu],
  ['verificar', /\bcomprobado\)/iu],
];
/** Names of pages that do not exist, and names that texts take from the table of site pages. */
const ELSEWHERE = /(?:en|desde|revisa|abre|ve a) «?(?:Configuración|Ajustes|Panel|Plan)\b/iu;

const sources: { path: string; text: string }[] = [];
for await (const path of glob('src/**/*.ts')) {
  if (path.endsWith('.test.ts') || path.includes('/migrations/')) continue;
  sources.push({ path, text: withoutComments(readFileSync(path, 'utf8')) });
}

test('one word is said for one thing', () => {
  const faults = sources.flatMap(({ path, text }) =>
    WORDS.flatMap(([say, not]) =>
      text
        .split('\n')
        .filter((line) => not.test(line))
        .map((line) => `${path}: «${say}» instead of ${not.exec(line)?.[0]}: ${line.trim()}`),
    ),
  );
  assert.deepEqual(faults, []);
});

test('the status of an order is called in the sheet what it is called in the panel', () => {
  const template = readFileSync('sheets/tianguis.gs', 'utf8');
  const [, table = ''] = /^const ESTADOS = \{([^}]+)\};/m.exec(template) ?? [];
  const words = Array.from(table.matchAll(/(\w+): '([^']+)'/g), ([, status, word]) => [
    status,
    word,
  ]);
  assert.deepEqual(Object.fromEntries(words), orderStatuses);
});

test('a page of the site is named by the table of site pages alone', () => {
  // «Entrar» is also what its button does.
  // Orders, invoices, shipments and the inventory are also things, and a role is called as the
  // warehouse is.
  const things: readonly string[] = [
    'signIn',
    'home',
    'orders',
    'cfdis',
    'shipments',
    'inventory',
    'warehouse',
  ];
  const others = Object.entries(SITE_PAGES).filter(([page]) => !things.includes(page));
  const names = others.map(([, { name }]) => name);
  const named = new RegExp(
    `(?:en|desde|revisa|abre|>|'|«) ?(?:${names.join('|')})(?:[.,<»'(]| \\()`,
    'u',
  );
  const faults = sources
    // The words of codes are things too.
    .filter(({ path }) => path !== 'src/platform/site-pages.ts' && !path.startsWith('src/words/'))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => ELSEWHERE.test(line) || named.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
  assert.deepEqual(faults, []);
});

test('every site page has its name as its title, and every address in a page is answered', async () => {
  const { instance, folder } = await openMailingInstance(WHOLE_FILE);
  const { owner } = await openTeam(instance, folder);
  const seen = new Set<string>();
  for (const { name, path } of Object.values(SITE_PAGES)) {
    const reader = path === SITE_PAGES.signIn.path ? openVisitor(instance.url) : owner.visitor;
    const { status, text, to } = await reader.get(path);
    if (isOfPanel(path)) {
      assert.match(to, new RegExp(`^/panel/[0-9a-f-]{36}${path.slice('/panel'.length)}$`), path);
      seen.add(to);
      continue;
    }
    assert.equal(status, 200, path);
    assert.match(text, new RegExp(`<h1[^>]*>${name}</h1>`, 'u'), path);
    for (const [, address] of text.matchAll(/href="(\/[^"]*)/g))
      seen.add(decoded(address as string));
  }
  for (const address of seen) {
    const { status } = await owner.visitor.get(address, { accept: 'text/html' });
    assert.ok(status < 400, `${address}: ${status}`);
  }
});

/** The panel draws its own headings. */
function isOfPanel(path: string): boolean {
  return path === SITE_PAGES.home.path || path.startsWith(`${SITE_PAGES.home.path}/`);
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

function decoded(attribute: string): string {
  return attribute.replaceAll('&#38;', '&').replace(/#.*$/, '');
}
