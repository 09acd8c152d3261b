import type { App } from '../app/app.ts';
import { listenersWith } from '../app/services.ts';
import {
  fiscalProfile,
  type ReadDocument,
  reading,
  recordCfdis,
  setFiscalProfile,
} from '../features/cfdi/index.ts';
import { listConnections } from '../features/connections/index.ts';
import { announceOrders } from '../features/order-events/index.ts';
import type { Organization } from '../features/organizations/index.ts';
import { hasten } from '../features/schedules/index.ts';
import { INSTANCE_ACTOR } from '../features/trail/index.ts';
import { cfdiOf, RFC } from './cfdi-xml.ts';
import { ordersToInvoice } from './sold-orders.ts';

const PROFILE = {
  person: 'legal',
  regime: '601',
  hasBorderVat: false,
  rfcs: [RFC],
} as const;
const LISTENERS = listenersWith([announceOrders]);

/**
 * The organisation as a taxpayer, with the CFDI of some of its delivered orders; those of last month
 * that have none are found soon.
 */
export async function prepareInvoices(
  { database, exchange }: App,
  { id, timezone }: Organization,
): Promise<void> {
  const organization = database.within(id);
  const now = exchange.clock.now();
  const sold = await organization.read((scope) => ordersToInvoice(scope, now, timezone));
  const documents = await reading(async ({ read }) => {
    const all: ReadDocument[] = [];
    for (const one of sold) all.push(await read(Buffer.from(cfdiOf(id, one))));
    return all;
  });
  await organization.write(async (scope) => {
    if ((await fiscalProfile(scope)).rfcs.length === 0)
      await setFiscalProfile(scope, INSTANCE_ACTOR, PROFILE);
    await recordCfdis(scope, 'upload', documents, LISTENERS);
    for (const { id: connectionId } of await listConnections(scope))
      await hasten(scope, 'findings', connectionId, now);
  });
}
