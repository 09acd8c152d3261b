import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { matchesGlob } from 'node:path';
import { test } from 'node:test';

/** Where statements are built: see `tests/architecture.test.ts`. */
const STORES = ['src/platform/db/**', 'src/features/**/store*.ts', 'src/features/**/sql/*.ts'];
const EVERYWHERE = ['**'];
const PANEL = ['panel/src/**'];
const TESTS = ['tests/**', 'src/**/*.test.ts'];

/**
 * Each package, and each module of Node that reaches the network, with the only files that may
 * import it, types included. What is not listed may be imported nowhere.
 */
const DOORS: Record<string, readonly string[]> = {
  '@better-auth/core': ['src/features/*/hashed-tokens.ts'],
  '@better-auth/passkey': ['src/features/*/auth.ts', 'src/features/*/auth-*.ts'],
  '@cantoo/pdf-lib': [
    'panel/src/screens/warehouse/merge-labels{,.test}.ts',
    'tests/browser/fifty-guides.test.ts',
  ],
  '@fastify/proxy-addr': ['src/entrances/caller-address.ts'],
  '@mantine/core': PANEL,
  '@mantine/hooks': PANEL,
  '@modelcontextprotocol/client': ['tests/mcp.test.ts', 'tests/oauth-*', 'tests/support/*'],
  '@modelcontextprotocol/sdk': ['tests/mcp.test.ts', 'tests/oauth-*', 'tests/support/*'],
  '@modelcontextprotocol/server': ['src/entrances/mcp/{call,envelope,params,server}.ts'],
  '@opentelemetry/api': ['src/platform/traces.ts', 'tests/traces.test.ts'],
  '@scalar/fastify-api-reference': ['src/entrances/docs/bundle.ts'],
  '@tanstack/react-query': ['panel/src/{main.tsx,queries.ts,query-client.ts}'],
  '@tanstack/react-router': PANEL,
  '@tanstack/react-virtual': ['panel/src/parts/DataTable.tsx'],
  '@vitejs/plugin-react': ['panel/vite.config.ts'],
  acorn: ['tests/regular-expressions/run.ts'],
  ajv: TESTS,
  'ajv-formats': TESTS,
  'better-auth': [
    'src/features/*/auth.ts',
    'src/features/*/auth-*.ts',
    'src/features/*/second-factors.ts',
    'tests/{accounts,people}.test.ts',
  ],
  'big.js': ['src/platform/money.ts'],
  'fast-check': TESTS,
  'gpt-tokenizer': ['tests/support/tokens.ts'],
  fastify: [
    'src/entrances/rest/app.ts',
    'src/entrances/rest/compress.ts',
    'src/entrances/docs/bundle.ts',
  ],
  ioredis: ['src/platform/redis.ts', 'tests/**'],
  'ipaddr.js': ['src/platform/network.ts', 'src/entrances/caller-address.ts'],
  kysely: STORES,
  nodemailer: ['src/platform/{file,smtp}-mailer.ts'],
  'oidc-provider': ['src/entrances/oauth/{consent,provider,server}.ts'],
  pg: ['src/platform/db/**', 'tests/**', 'bench/**'],
  'pg-boss': ['src/platform/queue.ts', 'src/platform/queue-start.ts'],
  pino: ['src/platform/log.ts'],
  'prom-client': ['src/platform/metrics.ts'],
  'axe-core': ['tests/browser/*', 'tests/browser/support/*'],
  'playwright-core': [
    'tests/browser/*',
    'tests/browser/support/*',
    'tests/support/chromium.ts',
    'bench/panel/*',
  ],
  react: PANEL,
  'react-dom': ['panel/src/main.tsx'],
  recheck: ['tests/regular-expressions/run.ts'],
  saxes: ['src/features/cfdi/xml/walk.ts', 'bench/rows/cfdis.ts'],
  standardwebhooks: ['tests/manage.test.ts', 'tests/webhooks.test.ts'],
  undici: ['src/platform/network.ts'],
  uplot: ['panel/src/parts/Bars.tsx'],
  uqr: ['src/entrances/qr.ts', 'tests/**'],
  vite: ['panel/vite.config.ts', 'scripts/build-panel.ts', 'tests/battery/generated.ts'],
  yauzl: [
    'src/features/cfdi/upload/archive.ts',
    'tests/support/zip.ts',
    'tests/support/workbook.ts',
  ],
  yazl: ['src/features/exports/workbook.ts', 'src/features/cfdi/xml-archive.ts', 'tests/**'],
  zod: EVERYWHERE,

  'node:child_process': [
    'src/platform/db/embedded*.ts',
    'src/demo/simulators.ts',
    'src/platform/log.test.ts',
    'scripts/**',
    'simulators/**',
    'tests/**',
    'bench/**',
  ],
  'node:dgram': [],
  'node:dns': ['src/platform/network.ts', 'tests/**'],
  'node:http': [
    'src/entrances/**',
    'src/platform/network.test.ts',
    'simulators/**',
    'tests/**',
    'bench/**',
  ],
  'node:http2': [],
  'node:https': [],
  'node:inspector': [],
  'node:net': [
    'src/platform/network.ts',
    'src/platform/config-readers.ts',
    'src/entrances/{caller-address,draining,front,raw-answers}.ts',
    'src/demo/port.ts',
    'simulators/**',
    'tests/**',
    'bench/**',
  ],
  'node:tls': ['tests/**'],
  'node:vm': ['tests/**'],
};

const files = await Array.fromAsync(
  glob('{src,panel,simulators,tests,bench,scripts}/**/*.{ts,tsx}', {
    exclude: ['**/node_modules/**', 'panel/dist/**'],
  }),
);

test('a library is imported only in its listed files', () => {
  assert.ok(files.length > 500);
  assert.deepEqual(
    files.toSorted().flatMap((file) => faultsOf(file, readFileSync(file, 'utf8'))),
    [],
  );
});

/** Programs, which spread retries by it. */
const PROGRAMS = ['src/main.ts', 'src/demo.ts', 'src/commands/command.ts'];

test('no text becomes code, and no secret comes from Math.random', () => {
  const sources = files.filter((file) => file.startsWith('src/') || file.startsWith('panel/'));
  assert.ok(sources.length > 500);
  const faults = sources.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const found = text.match(/\beval\(|\bnew Function\b|\bFunction\(|Math\.random\b/g) ?? [];
    const isProgram = PROGRAMS.includes(file);
    return found
      .filter((one) => !(isProgram && one === 'Math.random'))
      .map((one) => `${file}: ${one}`);
  });
  assert.deepEqual(faults, []);
});

/** Where expressions are built of names that `RegExp.escape` took in: no stranger's text. */
const BUILT_EXPRESSIONS = ['scripts/check-exports.ts'];

test('no regular expression is built at run time, where the check of slow ones does not see it', () => {
  const sources = files.filter((file) => /^(?:src|panel|scripts)\//.test(file));
  const own = sources.filter((file) => !file.endsWith('.test.ts'));
  assert.ok(own.length > 500);
  const building = own.filter((file) => buildsExpression(readFileSync(file, 'utf8')));
  assert.deepEqual(building, BUILT_EXPRESSIONS);

  for (const planted of ['new RegExp(name)', 'RegExp(start + rest)', 'new  RegExp (name)'])
    assert.ok(buildsExpression(planted), planted);
  for (const planted of ['[RegExp].map(make)', 'const make = RegExp;', 'make(RegExp, name)'])
    assert.ok(buildsExpression(planted), planted);
  for (const typed of ['readonly form: RegExp;', '(form: RegExp) => 1', "Pick<RegExp, 'test'>"])
    assert.ok(!buildsExpression(typed), typed);
});

/** Any use of the constructor; a type stands after a colon or inside brackets. */
function buildsExpression(text: string): boolean {
  return /\bRegExp\s*\(|[=([,]\s*RegExp\b/.test(text);
}

test('the scan finds planted imports, in whatever way they are written', () => {
  const planted: [file: string, text: string][] = [
    ['src/entrances/rest/app.ts', "import pg from 'pg';"],
    ['src/entrances/rest/app.ts', "import { request } from 'undici';"],
    ['src/features/orders/store-page.ts', "import {\n  request,\n} from 'undici';"],
    ['src/features/orders/store-page.ts', "import type { PgBoss } from 'pg-boss';"],
    ['src/features/orders/list-orders.ts', "export { sql } from 'kysely';"],
    ['src/features/orders/orders.test.ts', "const { Pool } = await import('pg');"],
    ['src/exchange/call.ts', "import 'node:https';"],
    ['src/exchange/call.ts', "import { connect } from 'net';"],
    ['src/exchange/call.ts', "let socket: import('node:net').Socket;"],
    ['src/exchange/call.ts', "import { readdirSync } from 'some-new-package/part.js';"],
    ['src/app/app.ts', "const fastify = require('fastify');"],
    ['src/entrances/jobs/worker.ts', "import Fastify from 'fastify';"],
    ['src/entrances/rest/app.ts', "import { Provider } from 'oidc-provider';"],
    ['src/platform/clock.ts', "import { pino } from 'pino';"],
    ['src/platform/queue.ts', "import { Redis } from 'ioredis';"],
  ];
  for (const [file, text] of planted)
    assert.equal(faultsOf(file, text).length, 1, `${file}: ${text}`);
  assert.deepEqual(faultsOf('src/platform/queue.ts', "import { PgBoss } from 'pg-boss';"), []);
  assert.deepEqual(faultsOf('src/platform/queue.ts', "import { join } from 'node:path';"), []);
});

const IMPORT =
  /^\s*(?:import|export)\b[^'"]*?\bfrom\s+['"]([^.'"][^'"]*)['"]|^\s*import\s+['"]([^.'"][^'"]*)['"]|\b(?:import|require)\(\s*['"]([^.'"][^'"]*)['"]/gm;

function faultsOf(file: string, text: string): string[] {
  // The planted lines above are no imports of this file.
  if (file === 'tests/library-doors.test.ts') return [];
  return [...text.matchAll(IMPORT)].flatMap(([, named, bare, dynamic]) => {
    const library = libraryOf((named ?? bare ?? dynamic) as string);
    const doors = DOORS[library] ?? (library.startsWith('node:') ? EVERYWHERE : []);
    if (doors.some((door) => matchesGlob(file, door))) return [];
    return [`${file} imports ${library}, whose doors are: ${doors.join(', ') || 'none'}`];
  });
}

/** The package, or the module of Node with its prefix, that a specifier names. */
function libraryOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  if (first.startsWith('@')) return `${first}/${second}`;
  return builtinModules.includes(first) ? `node:${first}` : first;
}
