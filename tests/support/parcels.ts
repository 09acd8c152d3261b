import type { TestContext } from 'node:test';
import { startZipnova, type Zipnova, type ZipnovaOptions } from '../../simulators/zipnova/index.ts';
import type { Sent } from '../../simulators/zipnova/webhooks.ts';
import { forgetConnection } from '../../src/exchange/connect/disconnect.ts';
import { listConnections } from '../../src/features/connections/index.ts';
import {
  listShipments,
  type ShipmentQuery,
  type ShownShipment,
  writeShipment,
} from '../../src/features/shipments/index.ts';
import { cursorMaker } from '../../src/platform/cursor.ts';
import { parseLossless, type RawNumber } from '../../src/platform/json.ts';
import { openApp, type TestApp } from './app.ts';
import { jobsDone } from './market.ts';
import { freshDatabase } from './server.ts';

type Ending = Pick<TestContext, 'after' | 'name'>;

/** What tests read of a shipment as customers' systems receive it. */
interface PublicShipment {
  readonly id: string;
  readonly account_id: string;
  readonly status: string;
  readonly carrier_status: string;
  readonly is_return: boolean;
  readonly is_damaged: boolean;
  readonly tracking_number: string | null;
  readonly guide_number: string | null;
  readonly final_carrier: string | null;
  readonly parent_id: string | null;
  readonly cost: RawNumber | null;
  readonly weight_kg: RawNumber | null;
  readonly contents: string | null;
  readonly picked_up_at: string | null;
  readonly delivered_at: string | null;
  readonly order_ref: Readonly<
    Record<'reference' | 'marketplace' | 'account_id' | 'order_id', string | null>
  >;
  readonly events: readonly {
    readonly code: string;
    readonly status: string | null;
    readonly source: string;
  }[];
}

export interface Parcelled {
  readonly own: TestApp;
  readonly sim: Zipnova;
  /** Connects, and waits for the first walk and the webhooks. @returns the connection's id */
  connect(account?: number): Promise<string>;
  /** What is due by now is done. */
  work(): Promise<void>;
  /** The webhooks that are due by now reach the instance, and what they ask for is done. */
  deliver(): Promise<Sent[]>;
  shipments(query?: Partial<ShipmentQuery>): Promise<PublicShipment[]>;
  page(
    query?: Partial<ShipmentQuery>,
  ): Promise<{ shipments: readonly ShownShipment[]; nextCursor: string | null }>;
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

interface ParcelsOptions extends Omit<ZipnovaOptions, 'now'> {
  /** The instance of the file, for another organisation of it; left out = an instance of its own. */
  readonly shared?: TestApp;
  readonly env?: Record<string, string>;
}

/** An instance and a Zipnova with one clock between them. */
export async function openParcels(
  t: Ending,
  { shared, env = {}, ...options }: ParcelsOptions = {},
): Promise<Parcelled> {
  const own = shared
    ? await shared.another()
    : await openApp(t, { env, database: await freshDatabase() });
  const { clock, app: instance, organization } = own;
  // What is due in a database is done for all that is connected in it.
  if (shared) t.after(() => forgetAll(own));
  // Zipnova reports times in whole seconds.
  clock.advance({ milliseconds: (1_000 - (clock.millis() % 1_000)) % 1_000 });
  const sim = await startZipnova({
    seed: t.name,
    ...options,
    now: () => clock.now().epochMilliseconds,
  });
  t.after(sim.close);
  const cursors = cursorMaker(instance.exchange.keyring);
  const within = instance.database.within(organization.id);
  const page = (query: Partial<ShipmentQuery> = {}) =>
    within.read((scope) => listShipments(scope, cursors, { ...EVERYTHING, ...query }));
  const work = async () => {
    await instance.worker?.tick();
    await jobsDone(own);
  };
  return {
    own,
    sim,
    work,
    page,
    async connect(account) {
      const id = await own.connect('zipnova', {
        url: sim.url,
        credentials: sim.credentials(account),
      });
      await work();
      return id;
    },
    async deliver() {
      const sent = await sim.webhooks.send();
      await jobsDone(own);
      return sent;
    },
    shipments: async (query) =>
      (await page(query)).shipments.map(
        (shipment) => parseLossless(writeShipment(shipment, 'event')) as PublicShipment,
      ),
  };
}

async function forgetAll({ app, organization }: TestApp): Promise<void> {
  const connections = await app.database.within(organization.id).read(listConnections);
  for (const { id } of connections) await forgetConnection(app.exchange, organization.id, id);
}
