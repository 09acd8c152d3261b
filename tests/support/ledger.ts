import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { startMercadoLibre } from '../../simulators/mercado_libre/index.ts';
import type { StreamName } from '../../src/connectors/contract.ts';
import { syncOrganization } from '../../src/exchange/sync/sync-organization.ts';
import { openApp, type TestApp } from './app.ts';

/** A seller of Mercado Libre whose ledger is read from release reports. */
export async function openShop(t: TestContext) {
  const instance = await openApp(t);
  const shop = await startMercadoLibre({
    seed: 'ledger',
    now: () => instance.clock.now().epochMilliseconds,
    tokenSeconds: 100 * 86_400,
  });
  t.after(shop.close);
  await instance.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });
  const read = (stream: StreamName) =>
    syncOrganization(instance.app.exchange, {
      organizationId: instance.organization.id,
      service: null,
      stream,
    });
  return { instance, shop, read };
}

/** Orders reports until they are read: one of 60 days and, at first, one of the days before. */
export async function readReport(
  instance: TestApp,
  read: (stream: StreamName) => ReturnType<typeof syncOrganization>,
): Promise<void> {
  for (let minute = 0; minute < 4; minute++) {
    const [report] = await read('settlements');
    assert.equal(report?.error, undefined);
    instance.clock.advance({ minutes: 1 });
  }
}
