import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { startShopify } from '../simulators/shopify/index.ts';
import { startWalmart } from '../simulators/walmart/index.ts';
import { findService, SERVICES } from '../src/carriers/registry.ts';
import { versionsTable } from '../src/carriers/versions-table.ts';
import type { ApiVersion } from '../src/connectors/contract.ts';
import { watchApiVersions } from '../src/exchange/connect/api-versions.ts';
import { disconnectAccount } from '../src/exchange/connect/disconnect.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { listAlerts } from '../src/features/alerts/index.ts';
import { openApp, type TestApp } from './support/app.ts';

// Which versions of APIs are called, and what is said before one ends.

const PAGE = 'docs/marketplaces/versions.md';
/** A version in a path: `/v3/`, `/2026-01-01/`, `/202309/`. */
const IN_PATH = /(?<=\/)(v\d+|20\d{2}-\d{2}(?:-\d{2})?|20\d{4})(?=[/'"`]|$)/gm;

describe('versions of APIs', () => {
  test('the page has the table of the code', () => {
    assert.ok(readFileSync(PAGE, 'utf8').includes(`\n\n${versionsTable()}\n\n`));
  });

  for (const service of SERVICES)
    test(`${service} says of each version that it calls when it ends, and names each in its paths`, () => {
      const { versions = [] } = findService(service) ?? {};
      const named = new Set(versions.map(({ version }) => version));

      assert.ok(versions.length > 0);
      assert.equal(
        new Set(versions.map(({ api, version }) => `${api} ${version}`)).size,
        versions.length,
      );
      for (const { endsOn, source } of versions) {
        if (endsOn !== null) assert.equal(Temporal.PlainDate.from(endsOn).toString(), endsOn);
        assert.ok(source.length > 0);
      }
      for (const { file, version } of inPathsOf(service))
        assert.ok(named.has(version), `${file}: ${version}`);
    });

  test('versions are found in the paths of the code', () => {
    const found = SERVICES.flatMap(inPathsOf).map(({ version }) => version);

    for (const known of ['2026-01-01', '202309', 'v3', 'v2', 'v1'])
      assert.ok(found.includes(known), known);
  });
});

test('a version that a connected account calls is announced 90 days before its end, once, and no more once it is disconnected', async (t) => {
  const instance = await openApp(t, { plan: 'experto' });
  const [{ endsOn = '', version = '' } = {}] = versionsOf('shopify') as (ApiVersion<unknown> & {
    endsOn: string;
  })[];
  const shop = await startShopify({ now: () => instance.clock.now().epochMilliseconds });
  t.after(shop.close);
  const connectionId = await instance.connect('shopify', {
    url: shop.url,
    credentials: shop.credentials(),
  });
  const end = Temporal.Instant.from(`${endsOn}T00:00:00Z`);

  turnTo(instance, end.subtract({ hours: 24 * 90 + 1 }));
  await housekeeping(instance);
  const early = await alerts(instance);
  turnTo(instance, end.subtract({ hours: 24 * 90 }));
  await housekeeping(instance);
  await housekeeping(instance);
  const raised = await alerts(instance);
  turnTo(instance, end.add({ hours: 24 * 30 }));
  await housekeeping(instance);
  const after = await alerts(instance);
  await disconnectAccount(instance.app.exchange, instance.organization.id, connectionId);

  assert.deepEqual(early, []);
  const [alert, ...others] = raised;
  assert.deepEqual(others, []);
  assert.equal(alert?.subject, `${connectionId}:GraphQL Admin API ${version}`);
  assert.equal(alert?.count, 1, 'raised once, however often it is looked at');
  assert.match(
    alert?.message ?? '',
    /^Shopify retira «GraphQL Admin API 2026-10» el 1 de octubre de 2027, y tu cuenta «.+» todavía la usa\. Instala la versión más reciente de Tianguis/,
  );
  assert.deepEqual(after, raised, 'it stands as long as the version is called');
  assert.deepEqual(await alerts(instance), []);
  await housekeeping(instance);
  assert.deepEqual(await alerts(instance), [], 'of no account that is gone');
});

test('a version that credentials choose is announced where they do, and no more once others are called or its end is put off', async (t) => {
  const instance = await openApp(t, { plan: 'experto' });
  const walmart = await startWalmart({ now: () => instance.clock.now().epochMilliseconds });
  t.after(walmart.close);
  const connectWith = (more: object) =>
    instance.connect('walmart', {
      url: walmart.url,
      credentials: { ...walmart.credentials(), ...more },
    });
  const today = instance.clock.now().toString().slice(0, 10);
  const watch = (endsOn: string | null) =>
    watchApiVersions(instance.app.exchange, (service) =>
      versionsOf(service).map((row) =>
        row.api === 'Mexican Marketplace APIs' ? { ...row, endsOn } : row,
      ),
    );

  await connectWith({});
  await watch(today);
  const ofGlobal = await alerts(instance);
  await connectWith({ global_version: null });
  await watch(today);
  const ofMexican = await alerts(instance);
  await watch(null);
  const putOff = await alerts(instance);
  await watch(today);
  await connectWith({ global_version: '3.1' });
  await watch(today);

  assert.deepEqual(ofGlobal, []);
  assert.equal(ofMexican.length, 1);
  assert.match(
    ofMexican[0]?.message ?? '',
    /«Mexican Marketplace APIs v3».*Reconecta la cuenta con una versión más nueva/,
  );
  assert.deepEqual(putOff, []);
  assert.deepEqual(await alerts(instance), [], 'it asks for the others now');
});

function versionsOf(service: (typeof SERVICES)[number]): readonly ApiVersion<unknown>[] {
  return findService(service)?.versions ?? [];
}

function inPathsOf(service: (typeof SERVICES)[number]): { file: string; version: string }[] {
  const folder = ['liverpool', 'coppel'].includes(service) ? 'mirakl' : service;
  return globSync(`src/{connectors,carriers}/${folder}/*.ts`, {
    exclude: ['**/*.test.ts', '**/versions.ts'],
  }).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(IN_PATH)].map(([, version = '']) => ({
      file,
      version,
    })),
  );
}

function turnTo({ clock }: TestApp, instant: Temporal.Instant): void {
  clock.advance(clock.now().until(instant));
}

async function housekeeping({ app: instance }: TestApp): Promise<void> {
  await runHousekeeping(instance.exchange);
}

async function alerts({ app: instance, organization }: TestApp) {
  const open = await instance.database
    .within(organization.id)
    .read((scope) => listAlerts(scope, { all: false }));
  return open.filter(({ kind }) => kind === 'api_version_ends');
}
