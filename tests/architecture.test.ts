import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { test } from 'node:test';
import { type ConnectedService, findService, SERVICES } from '../src/carriers/registry.ts';
import { MARKETPLACES } from '../src/connectors/contract.ts';
import { JOBS } from '../src/exchange/jobs/index.ts';

/**
 * Who may import whom. Left: a place. Right: the places that it may reach besides itself. Anything
 * else is a fault.
 */
const PLAN: Record<string, readonly string[]> = {
  // The panel bundles it, so it may reach nothing.
  'src/words': [],
  'src/platform': [],
  'src/connectors': ['src/platform'],
  'src/carriers': ['src/platform', 'src/connectors'],
  'src/features': ['src/words', 'src/platform', 'src/connectors', 'src/carriers'],
  'src/exchange': ['src/platform', 'src/connectors', 'src/carriers', 'src/features'],
  'src/entrances': [
    'src/words',
    'src/platform',
    'src/connectors',
    'src/carriers',
    'src/features',
    'src/exchange',
  ],
  'src/app': [
    'src/platform',
    'src/connectors',
    'src/carriers',
    'src/features',
    'src/exchange',
    'src/entrances',
  ],
  'src/commands': ['src'],
  src: ['src'],
  simulators: [],
  tests: ['src', 'simulators', 'tests', 'scripts'],
  'tests/support': ['src', 'simulators', 'tests'],
  bench: ['src', 'tests/support'],
  scripts: ['src', 'tests'],
};

/** Floors inside `features`: a feature may reach those of lower floors, by their index.ts. */
const FLOORS: readonly (readonly string[])[] = [
  [
    'alerts',
    'backup',
    'deprecations',
    'erasure',
    'idempotency',
    'organization-file',
    'organizations',
    'plans',
    'receipts',
    'removals',
    'schedules',
    'trail',
    'views',
    'webhooks-out',
  ],
  ['people', 'keys', 'quota', 'connections', 'grants'],
  ['orders', 'inventory', 'balances'],
  ['order-events', 'sales', 'cfdi', 'shipments', 'ledger'],
  ['warehouse', 'findings'],
  ['exports', 'samples'],
];
/** On one floor, who may still see whom. */
const NEIGHBOURS: Record<string, readonly string[]> = {
  alerts: ['trail'],
  erasure: ['removals'],
  organizations: ['plans', 'trail', 'webhooks-out'],
  'webhooks-out': ['alerts', 'trail'],
  people: ['connections', 'keys'],
  grants: ['people', 'keys'],
};

/**
 * Folders inside `exchange`, and which of the others each may reach. The files beside the folders,
 * `parts.ts` and `streams.ts`, are open to all.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  deliver: [],
  wire: [],
  sync: ['wire'],
  connect: ['wire'],
  webhooks: ['connect', 'sync', 'wire'],
  guides: ['webhooks', 'wire'],
  probe: ['sync', 'wire'],
  jobs: ['connect', 'deliver', 'guides', 'sync', 'webhooks', 'wire'],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = (
  await Array.fromAsync(
    glob(
      ['src/**/*.ts', 'simulators/**/*.ts', 'tests/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'],
      {
        exclude: ['**/node_modules/**'],
      },
    ),
  )
).sort();
const imports = files.flatMap(importsOf);

test('imports only go down', () => {
  const faults = imports.filter(({ from, to }) => !mayReach(placeOf(from), placeOf(to)));
  assert.deepEqual(
    faults.map(({ from, to }) => `${from} imports ${to}: move what it needs down, or itself up`),
    [],
  );
});

test('features and entrances see the contracts and the registries of services; carriers see no connector', () => {
  assert.deepEqual(
    imports.filter(seesInside).map(({ from, to }) => `${from} imports ${to}`),
    [],
  );
});

test('no file reaches itself through its imports, types included', async () => {
  const panel = await Array.fromAsync(glob('panel/src/**/*.{ts,tsx}'));
  assert.deepEqual(circlesOf([...imports, ...panel.flatMap(importsOf)]), []);
});

test('a feature is imported by its index.ts', () => {
  const faults = imports.filter(
    ({ from, to }) =>
      featureOf(to) &&
      featureOf(to) !== featureOf(from) &&
      from.startsWith('src/') &&
      !to.endsWith('/index.ts'),
  );
  assert.deepEqual(
    faults.map(({ from, to }) => `${from} imports ${to}: export it from the feature's index.ts`),
    [],
  );
});

test('features have floors', () => {
  const faults = imports.filter(({ from, to }) => {
    const [above, below] = [featureOf(from), featureOf(to)];
    if (!above || !below || above === below || NEIGHBOURS[above]?.includes(below)) return false;
    return floorOf(above) <= floorOf(below);
  });
  assert.deepEqual(
    faults.map(
      ({ from, to }) => `${from} imports ${to}: the lower floor may not know the upper one`,
    ),
    [],
  );
});

test('folders of the exchange reach only those that the table names', () => {
  const found = new Set(imports.flatMap(({ from }) => folderOf(from) ?? []));
  assert.deepEqual([...found].sort(), Object.keys(FOLDERS).sort());
  assert.deepEqual(
    imports
      .filter((one) => !staysInFolders(one))
      .map(({ from, to }) => `${from} imports ${to}: the table of folders does not allow it`),
    [],
  );
});

test('connectors do not know each other', () => {
  const connectorOf = (file: string) => /^src\/connectors\/(\w+)\//.exec(file)?.[1];
  const faults = imports.filter(
    ({ from, to }) => connectorOf(from) && connectorOf(to) && connectorOf(from) !== connectorOf(to),
  );
  assert.deepEqual(
    faults.filter(({ to }) => !to.startsWith('src/connectors/mirakl/')),
    [],
  );
});

test('entrances do not know each other', () => {
  assert.deepEqual(
    imports.filter(({ from, to }) => areApart(from, to)),
    [],
  );
});

test('the panel knows the types of its contract and the words, and the product does not know the panel', async () => {
  const panel = await Array.fromAsync(glob('panel/{src/**/*.{ts,tsx},*.ts}'));
  assert.ok(panel.length > 20);
  const reached = panel.flatMap((file) =>
    outsideOf(file).map(({ to, isType }) =>
      (isType && to === CONTRACT) || to.startsWith('src/words/') ? [] : `${file}: ${to}`,
    ),
  );
  assert.deepEqual(reached.flat(), []);
  assert.deepEqual(
    imports.filter(({ from, to }) => from.startsWith('src/') && to.startsWith('panel/')),
    [],
  );
});

test('SQL is written in stores and migrations only', () => {
  const speaks = files.filter(
    (file) =>
      file.startsWith('src/') &&
      /\bstatement(<|\()|\bfrom 'kysely'|\bbuild\b.*(selectFrom|insertInto|updateTable|deleteFrom)/.test(
        readFileSync(file, 'utf8'),
      ),
  );
  const faults = speaks.filter(
    (file) => !file.startsWith('src/platform/db/') && !/\/store(-[\w-]+)?\.ts$/.test(file),
  );
  assert.deepEqual(faults, []);
});

test('marketplaces and carriers are named in their own folders, the configuration and the samples', () => {
  const others = files.filter(
    (file) => file.startsWith('src/') && !file.endsWith('.test.ts') && !NAMING_PLACES.test(file),
  );
  assert.ok(others.length > 300);
  const faults = others.flatMap((file) =>
    slugsIn(readFileSync(file, 'utf8')).map(
      (fault) => `${file}:${fault}: make it a fact of its connector`,
    ),
  );
  assert.deepEqual(faults, []);
});

test('each marketplace and carrier has a folder, a simulator, a page and, if it sells, a suite', async () => {
  const places = await readPlaces();
  const faults = SERVICES.flatMap((slug) => {
    const sells = (MARKETPLACES as readonly string[]).includes(slug);
    return lacksOf({ slug, sells, service: findService(slug) }, places);
  });
  assert.deepEqual(faults, []);
});

test('what a new marketplace lacks is named, with and without its line in the registry', async () => {
  const places = await readPlaces();
  const page = '# eBay (`ebay`)\n\n## Times\n';
  const service = { ...(findService('shopify') ?? assert.fail()), name: 'eBay' };
  const further = [
    'its name in README.md',
    'tests/connectors/suite/ebay.test.ts',
    'its line in tests/support/stands.ts',
    'its name in docs/money.md',
    'its name in docs/returns.md',
  ];

  assert.deepEqual(lacksOf({ slug: 'ebay', sells: true, service: null }, places), [
    ...[
      'its line in src/connectors/registry.ts',
      'src/connectors/ebay/connector.ts',
      'a simulator in simulators/start.ts',
      'a page of docs/ with (`ebay`) in its title',
      ...further,
    ].map((what) => `ebay lacks ${what}`),
  ]);
  assert.deepEqual(
    lacksOf({ slug: 'ebay', sells: true, service }, { ...places, pages: [page] }),
    [
      'src/connectors/ebay/connector.ts',
      'a simulator in simulators/start.ts',
      'the heading “## Money” in its page',
      ...further,
      'its row in docs/how-to/register-an-application.md: it has a page of consent',
    ].map((what) => `ebay lacks ${what}`),
  );
});

test('every kind of job that is defined is in the list, once', () => {
  const defined = files
    .filter((file) => file.startsWith('src/') && !file.endsWith('.test.ts'))
    .flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/= define(?:Sealed)?Job\((?:\{\s+name: )?'([\w-]+)'/g),
    ])
    .map(([, name]) => name);
  assert.deepEqual(JOBS.map(({ name }) => name).toSorted(), defined.toSorted());
});

test('connectors and carriers ask page after page by the one walk that ends', () => {
  const speaking = files.filter(
    (file) => /^src\/(connectors|carriers)\/\w+\//.test(file) && !file.endsWith('.test.ts'),
  );
  assert.ok(speaking.length > 50);
  const faults = speaking.flatMap((file) =>
    endlessLoopsIn(readFileSync(file, 'utf8')).map(
      (line) => `${file}:${line}: use walk of src/connectors/lists.ts`,
    ),
  );
  assert.deepEqual(faults, []);
});

test('rows of a foreign list are bounded where they are read', () => {
  const unbounded = files.filter(
    (file) =>
      /^src\/(connectors|carriers)\/\w+\//.test(file) &&
      readFileSync(file, 'utf8').includes('z.array(z.unknown())'),
  );
  assert.deepEqual(unbounded, [], 'use Rows of src/connectors/lists.ts');
});

test('the scan finds planted faults', () => {
  assert.deepEqual(
    [
      "if (carrier === 'zipnova') return;",
      'const NAMES = { mercado_libre: 1, tiktokShop: 2 };\nreturn `/webhooks/paquetexpress`;',
      'const text = "Tu cuenta de MercadoLibre";',
      "import { run } from './paquetexpress-webhook.ts';",
      "insert into paquetexpress_shipments values ('https://amazon.com')",
      '/** As Amazon does it. */ // and walmart\nconst amazonas = 1; // coppel',
    ].map(slugsIn),
    [
      ['1: zipnova'],
      ['1: mercado_libre', '1: tiktokShop', '2: paquetexpress'],
      ['1: MercadoLibre'],
      ['1: paquetexpress'],
      ['1: paquetexpress', '1: amazon'],
      [],
    ],
  );
  assert.deepEqual(
    [
      'for (let page = 1; ; page++) {\n  const answer = await ask(page);\n}',
      '  while (next) {\n    if (one) {\n      next = await ask(next);\n    }\n  }',
      'do next = await ask(next);\nwhile (next);',
      'for (;;) await ask();',
      'for (const id of ids) {\n  await ask(id);\n}\nwhile (rest % size) size -= 1;\nawait ask();',
    ].map(endlessLoopsIn),
    [[1], [1], [1], [1], []],
  );

  const planted = [
    { from: 'src/platform/a.ts', to: 'src/features/orders/index.ts' },
    { from: 'src/features/orders/a.ts', to: 'src/exchange/b.ts' },
    { from: 'simulators/a.ts', to: 'src/platform/b.ts' },
  ];
  assert.deepEqual(
    planted.filter(({ from, to }) => mayReach(placeOf(from), placeOf(to))),
    [],
  );
  assert.deepEqual(
    [
      { from: 'src/features/orders/a.ts', to: 'src/connectors/lists.ts' },
      { from: 'src/features/orders/a.ts', to: 'src/carriers/registry.ts' },
      { from: 'src/entrances/a.ts', to: 'src/connectors/amazon/wire.ts' },
      { from: 'src/carriers/zipnova/a.ts', to: 'src/connectors/amazon/wire.ts' },
      { from: 'src/carriers/zipnova/a.ts', to: 'src/connectors/lists.ts' },
    ].map(seesInside),
    [true, false, true, true, false],
  );
  assert.ok(areApart('src/entrances/rest/a.ts', 'src/entrances/mcp/b.ts'));
  assert.ok(!areApart('src/entrances/rest/a.ts', 'src/entrances/http.ts'));
  assert.deepEqual(
    [
      { from: 'src/exchange/wire/a.ts', to: 'src/exchange/sync/b.ts' },
      { from: 'src/exchange/sync/a.ts', to: 'src/exchange/wire/b.ts' },
      { from: 'src/exchange/sync/a.ts', to: 'src/exchange/parts.ts' },
    ].map(staysInFolders),
    [false, true, true],
  );
  assert.deepEqual(
    circlesOf([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'a' },
    ]),
    ['a → b → c → a'],
  );
});

/** Where a slug may be written: what is described, what is stored, and what is configured. */
const NAMING_PLACES =
  /^src\/(connectors|carriers|platform\/db\/migrations)\/|^src\/platform\/(db\/schema|db\/column-types|db\/table-homes|config-variables)\.ts$|^src\/features\/samples\/sample-orders\.ts$/;

/** The `//` of an address begins none. */
const COMMENT = /(\/\*[\s\S]*?\*\/|(?<!:)\/\/.*)/g;

/** Slugs in code and texts, however they are written, each with its line; comments aside. */
function slugsIn(text: string): string[] {
  const bare = text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '));
  return bare
    .split('\n')
    .flatMap((line, at) => [...line.matchAll(SLUG)].map(([slug]) => `${at + 1}: ${slug}`));
}

const SLUG = new RegExp(
  SERVICES.flatMap((slug) => {
    const camel = slug.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const pascal = camel.replace(/^\w/, (letter) => letter.toUpperCase());
    return [slug, slug.replaceAll('_', '-'), slug.toUpperCase(), camel, pascal];
  })
    .map((spelling) => `(?<![A-Za-z])${spelling}(?![a-z])`)
    .join('|'),
  'g',
);

/**
 * Lines where a loop begins that may go on without end and waits in its body, which is what is
 * indented further.
 */
function endlessLoopsIn(text: string): number[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const [head, indent = ''] = /^(\s*)(?:for \((?:let\b|;)|while \(|do\b)/.exec(line) ?? [];
    if (head === undefined) return [];
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((other) => other.trim() !== '' && !other.startsWith(`${indent} `));
    const body = rest.slice(0, end === -1 ? rest.length : end);
    return [line, ...body].some((one) => /\bawait\b/.test(one)) ? [at + 1] : [];
  });
}

/** Where services are named beside their connectors. */
async function readPlaces() {
  const read = (file: string) => readFileSync(file, 'utf8');
  const pages = await Array.fromAsync(glob('docs/{marketplaces,carriers}/*.md'));
  return {
    pages: pages.map(read),
    simulators: read('simulators/start.ts'),
    readme: read('README.md'),
    stands: read('tests/support/stands.ts'),
    money: read('docs/money.md'),
    returns: read('docs/returns.md'),
    applications: read('docs/how-to/register-an-application.md'),
  };
}
type Places = Awaited<ReturnType<typeof readPlaces>>;

interface Listed {
  readonly slug: string;
  readonly sells: boolean;
  /** Null while the registry has no line of it; its name is not known then. */
  readonly service: ConnectedService | null;
}

function lacksOf(listed: Listed, places: Places): string[] {
  const { slug, sells, service } = listed;
  const kind = sells ? 'connectors' : 'carriers';
  const page = places.pages.find((text) => text.split('\n', 1)[0]?.includes(`(\`${slug}\`)`));
  const has = {
    [`its line in src/${kind}/registry.ts`]: service !== null,
    [`src/${kind}/${slug}/connector.ts`]: existsSync(`src/${kind}/${slug}/connector.ts`),
    'a simulator in simulators/start.ts': hasLine(places.simulators, slug),
    [`a page of docs/ with (\`${slug}\`) in its title`]: page !== undefined,
    ...(sells && headingsIn(page)),
    'its name in README.md': isNamed(service, places.readme),
    ...(sells && {
      [`tests/connectors/suite/${slug}.test.ts`]: existsSync(
        `tests/connectors/suite/${slug}.test.ts`,
      ),
      'its line in tests/support/stands.ts': hasLine(places.stands, slug),
      'its name in docs/money.md': isNamed(service, places.money),
      'its name in docs/returns.md': isNamed(service, places.returns),
    }),
    ...(service?.auth.consent && {
      'its row in docs/how-to/register-an-application.md: it has a page of consent':
        places.applications.includes(`, \`${slug}\` |`),
    }),
  };
  return Object.entries(has).flatMap(([what, is]) => (is ? [] : [`${slug} lacks ${what}`]));
}

/** The headings that all pages of marketplaces share. */
const HEADINGS = ['## Money', '## Times'];

function headingsIn(page: string | undefined): Record<string, boolean> {
  if (page === undefined) return {};
  const lines = page.split('\n');
  return Object.fromEntries(
    HEADINGS.map((heading) => [`the heading “${heading}” in its page`, lines.includes(heading)]),
  );
}

function hasLine(table: string, slug: string): boolean {
  return new RegExp(`\\b${slug}\\b[,:]`).test(table);
}

function isNamed(service: ConnectedService | null, text: string): boolean {
  return service !== null && text.includes(service.name);
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const relative = [
    ...text.matchAll(
      /^\s*(?:import|export)\b[^'"]*?from\s+['"](\.[^'"]+)['"]|^import\s+['"](\.[^'"]+)['"]|\bimport\(['"](\.[^'"]+)['"]\)/gm,
    ),
  ];
  return relative.map(([, named, bare, dynamic]) => ({
    from: file,
    to: normalize(join(dirname(file), (named ?? bare ?? dynamic) as string))
      .split(sep)
      .join('/'),
  }));
}

const CONTRACT = 'src/entrances/panel/contract.ts';

/** What a file of the panel imports from outside it. */
function outsideOf(file: string): { readonly to: string; readonly isType: boolean }[] {
  const text = readFileSync(file, 'utf8');
  return importsOf(file)
    .filter(({ to }) => !to.startsWith('panel/'))
    .map(({ to }) => ({ to, isType: /import type [^;]*contract\.ts'/.test(text) }));
}

function placeOf(file: string): string {
  return (
    Object.keys(PLAN)
      .filter((place) => file.startsWith(`${place}/`))
      .sort((a, b) => b.length - a.length)[0] ?? file
  );
}

function mayReach(from: string, to: string): boolean {
  return (
    from === to ||
    (PLAN[from] ?? []).some((allowed) => to === allowed || to.startsWith(`${allowed}/`))
  );
}

/** Whether an import reaches into connectors or carriers beyond what its floor may use. */
function seesInside({ from, to }: Import): boolean {
  if (/^src\/(features|entrances)\//.test(from))
    return /^src\/(connectors|carriers)\/(?!(contract|registry)\.ts$)/.test(to);
  return from.startsWith('src/carriers/') && /^src\/connectors\/\w+\//.test(to);
}

/** What entrances share is in `src/entrances` itself, and knows none of them. */
function areApart(from: string, to: string): boolean {
  const entranceOf = (file: string) => /^src\/entrances\/([\w-]+)\//.exec(file)?.[1];
  return (
    from.startsWith('src/entrances/') &&
    entranceOf(to) !== undefined &&
    entranceOf(to) !== entranceOf(from)
  );
}

function featureOf(file: string): string | undefined {
  return /^src\/features\/([\w-]+)\//.exec(file)?.[1];
}

function folderOf(file: string): string | undefined {
  return /^src\/exchange\/(\w+)\//.exec(file)?.[1];
}

function staysInFolders({ from, to }: Import): boolean {
  const [above, below] = [folderOf(from), folderOf(to)];
  return !above || !below || above === below || FOLDERS[above]?.includes(below) === true;
}

function floorOf(feature: string): number {
  const floor = FLOORS.findIndex((names) => names.includes(feature));
  assert.notEqual(floor, -1, `${feature} has no floor yet: add it to FLOORS`);
  return floor;
}

function circlesOf(edges: readonly Import[]): string[] {
  const next = Map.groupBy(edges, ({ from }) => from);
  const done = new Set<string>();
  const circles: string[] = [];
  function visit(file: string, path: string[]): void {
    const at = path.indexOf(file);
    if (at !== -1) return void circles.push([...path.slice(at), file].join(' → '));
    if (done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  }
  for (const file of next.keys()) visit(file, []);
  return circles;
}
