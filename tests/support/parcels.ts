import type { TestContext } from 'node:test';
import { startZipnova, type Zipnova, type ZipnovaOptions } from '../../simulators/zipnova/index.ts';
import type { Sent } from '../../simulators/zipnova/webhooks.ts';
import {
  type ListedShipment,
  listShipments,
  presentShipment,
  type ShipmentQuery,
} from '../../src/features/shipments/index.ts';
import { cursorMaker } from '../../src/platform/cursor.ts';
import { openHouse, type TestHouse } from './house.ts';
import { jobsDone } from './market.ts';
import { freshDatabase } from './server.ts';

type Ending = Pick<TestContext, 'after' | 'name'>;

export interface Parcelled {
  readonly own: TestHouse;
  readonly sim: Zipnova;
  /** Connects, and waits for the first walk and the webhooks. @returns the connection's id */
  connect(account?: number): Promise<string>;
  /** What is due by now is done. */
  work(): Promise<void>;
  /** The webhooks that are due by now reach the house, and what they ask for is done. */
  deliver(): Promise<Sent[]>;
  shipments(query?: Partial<ShipmentQuery>): Promise<ReturnType<typeof presentShipment>[]>;
  page(
    query?: Partial<ShipmentQuery>,
  ): Promise<{ shipments: readonly ListedShipment[]; nextCursor: string | null }>;
}

const EVERYTHING: ShipmentQuery = {
  carrier: null,
  category: [],
  trackingNumber: null,
  orderId: null,
  from: null,
  to: null,
  limit: 200,
  cursor: null,
  withEvents: true,
};

/** A house and a Zipnova with one clock between them. */
export async function openParcels(
  t: Ending,
  options: Omit<ZipnovaOptions, 'now'> = {},
  env: Record<string, string> = {},
): Promise<Parcelled> {
  // What is due in a database is done for all that is in it.
  const own = await openHouse(t, { env, database: await freshDatabase() });
  const { clock, house, organization } = own;
  const sim = await startZipnova({ seed: t.name, ...options, now: () => clock.now().epochMilliseconds });
  t.after(sim.close);
  const cursors = cursorMaker(house.exchange.keyring);
  const within = house.database.within(organization.id);
  const page = (query: Partial<ShipmentQuery> = {}) =>
    within.read((scope) => listShipments(scope, cursors, { ...EVERYTHING, ...query }));
  const work = async () => {
    await house.worker?.tick();
    await jobsDone(own);
  };
  return {
    own,
    sim,
    work,
    page,
    async connect(account) {
      const id = await own.connect('zipnova', { url: sim.url, credentials: sim.credentials(account) });
      await work();
      return id;
    },
    async deliver() {
      const sent = await sim.webhooks.send();
      await jobsDone(own);
      return sent;
    },
    shipments: async (query) =>
      (await page(query)).shipments.map(({ shipment, events }) => presentShipment(shipment, events)),
  };
}
