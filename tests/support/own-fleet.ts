import type { TestContext } from 'node:test';
import { startZipnova } from '../../simulators/zipnova/index.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import type { TestApp } from './app.ts';

/** Connects a Zipnova account whose own fleet carries the parcel of one order of Mercado Libre. */
export async function connectOwnFleet(
  end: Pick<TestContext, 'after'>,
  { app, clock }: TestApp,
  { organizationId, orderId }: { readonly organizationId: string; readonly orderId: string },
): Promise<void> {
  const zipnova = await startZipnova({ now: () => clock.now().epochMilliseconds });
  end.after(() => zipnova.close());
  zipnova.parcels.make({
    isOwnFleet: true,
    refusals: [],
    code: 'ready_to_ship',
    relations: [{ channel: 'MercadoLibre', order_id: orderId }],
  });
  await connect(app.exchange, {
    organizationId,
    service: 'zipnova',
    credentials: zipnova.credentials(),
    baseUrl: zipnova.url,
  });
}
