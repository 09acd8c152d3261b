/** An account with its ledger and tax documents, and connections beside it. */
import type { TestContext } from 'node:test';
import type { Marketplace } from '../../src/connectors/contract.ts';
import { recordCfdis } from '../../src/features/cfdi/index.ts';
import { beginStream, finishRun, saveConnection } from '../../src/features/connections/index.ts';
import { openLedger } from './findings.ts';
import { readCfdi } from './read-cfdi.ts';

export async function openSeller(t: Pick<TestContext, 'after'>) {
  const ledger = await openLedger(t);
  const { instance, inside, all } = ledger;
  const { orderListeners, announce, keyring } = instance.app.exchange;
  return {
    ...ledger,
    connect: (service: Marketplace, accountId: string) =>
      inside((scope) =>
        saveConnection(scope, keyring, {
          ...{ service, accountId, name: service, baseUrl: null },
          ...{ credentials: {}, credentialsExpireAt: null },
        }),
      ),
    /** The first import of its orders is over. */
    finishOrders: (id: string) =>
      inside(async (scope) => {
        const to = scope.clock.now();
        await beginStream(scope, id, 'orders', { from: null, to });
        await finishRun(scope, id, 'orders', null, to);
      }),
    upload: (text: string) =>
      inside((scope) => {
        const xml = Buffer.from(text);
        const documents = [readCfdi(xml)];
        return recordCfdis(scope, 'upload', documents, [...orderListeners, announce]);
      }),
    open: async () =>
      (await all()).map(({ kind, subject, marketplace, amount, expected }) => [
        ...[kind, subject, marketplace],
        ...[Number(amount), expected && Number(expected)],
      ]),
  };
}
