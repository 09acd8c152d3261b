import { type App, openApp } from '../src/app/app.ts';
import type { OrderStatus } from '../src/connectors/contract.ts';
import { configOf } from '../src/environment.ts';
import { type Order, recordOrders } from '../src/features/orders/index.ts';
import { createOrganization } from '../src/features/organizations/index.ts';
import { type Clock, systemClock } from '../src/platform/clock.ts';
import { createLog } from '../src/platform/log.ts';
import type { Instant } from '../src/platform/time.ts';
import { dice, idOf, orderOf } from './orders.ts';

/** The orders of a shop that sells as many each day, with every change of each. */
export interface Life {
  /** Of its first day. */
  readonly start: Instant;
  readonly ordersADay: number;
  /** Of its first order, for what orders are about. */
  readonly firstNumber: number;
}

type RecordOrder = (order: Order) => Promise<void>;

/** The states of an order, and how many days after its creation it gets each. */
export const STATES: readonly [status: OrderStatus, day: number][] = [
  ['pending', 0],
  ['paid', 0],
  ['ready_to_ship', 1],
  ['shipped', 2],
  ['delivered', 6],
];

/** The changes of a day, one after the other. @returns the letters of their documents */
export async function liveDay(
  life: Life,
  day: number,
  record: RecordOrder,
  pass: (minutes: number) => void,
): Promise<number> {
  let letters = 0;
  for (const [index, [status, age]] of STATES.entries())
    for (let number = 0; number < life.ordersADay && day >= age; number++) {
      const minutes = index * 60 + number;
      pass(minutes);
      const changedAt = life.start.add({ hours: 24 * day, minutes });
      const order = orderIn(life, (day - age) * life.ordersADay + number, status, changedAt);
      letters += order.raw?.length ?? 0;
      await record(order);
    }
  return letters;
}

function orderIn(life: Life, number: number, status: OrderStatus, changedAt: Instant): Order {
  const created = life.start.add({
    hours: 24 * Math.floor(number / life.ordersADay),
    minutes: number % life.ordersADay,
  });
  const named = life.firstNumber + number;
  const order: Order = {
    ...orderOf(named, 1_000_000, created),
    id: idOf('mercado_libre', named),
    marketplace: 'mercado_libre',
    accountId: '468424240',
    status,
    marketplaceStatus: status,
    fulfillmentStatus: status,
    dateCreated: created,
    changedAt,
    fetchedAt: changedAt,
  };
  return { ...order, raw: documentOf(order, named) };
}

/**
 * Two and a half thousand letters, as marketplaces word an order: a third is of the order, some of
 * it of the change.
 */
function documentOf(order: Order, number: number): string {
  const ofOrder = dice(number);
  const ofChange = dice(Math.trunc((order.changedAt?.epochMilliseconds ?? 0) / 60_000));
  const digits = (chance: () => number, count: number) =>
    Number(
      chance()
        .toFixed(16)
        .slice(2, 2 + count),
    );
  const changed = String(order.changedAt);
  const created = String(order.dateCreated);
  return JSON.stringify({
    order: {
      id: Number(order.id),
      status: order.status,
      status_detail: null,
      date_created: created,
      date_closed: order.status === 'pending' ? null : created,
      last_updated: changed,
      order_items: order.items.map((item) => ({
        item: {
          id: item.id,
          title: item.title,
          category_id: `MLM${digits(ofOrder, 5)}`,
          variation_id: digits(ofOrder, 11),
          variation_attributes: [],
          warranty: 'Garantía del vendedor: 30 días',
          condition: 'new',
          seller_sku: item.sku,
        },
        quantity: 1,
        unit_price: Number(item.unitPrice),
        full_unit_price: Number(item.unitPrice),
        currency_id: 'MXN',
        manufacturing_days: null,
        sale_fee: digits(ofOrder, 4) / 100,
        listing_type_id: 'gold_pro',
      })),
      total_amount: Number(order.total),
      payments: [
        {
          id: digits(ofOrder, 11),
          payer_id: digits(ofOrder, 9),
          payment_method_id: 'account_money',
          operation_type: 'regular_payment',
          status: order.status === 'pending' ? 'in_process' : 'approved',
          status_detail: 'accredited',
          transaction_amount: Number(order.total),
          taxes_amount: 0,
          date_approved: created,
          date_last_modified: changed,
        },
      ],
      buyer: {
        id: digits(ofOrder, 9),
        nickname: `COMPRADOR${digits(ofOrder, 8)}`,
        first_name: order.buyerName,
      },
      tags: order.tags,
    },
    shipment: {
      id: digits(ofOrder, 11),
      status: order.status,
      substatus: null,
      tracking_number: String(digits(ofOrder, 11)),
      tracking_method: 'MELI Logistics',
      logistic: { mode: 'me2', type: 'cross_docking', direction: 'forward' },
      origin: { type: 'selling_address', sender_id: 468_424_240 },
      destination: { type: 'buying_address', receiver_id: digits(ofOrder, 9) },
      lead_time: { buffering: null, estimated: changed, cost: digits(ofChange, 4) / 100 },
      last_updated: changed,
      revision: digits(ofChange, 12),
      date_created: created,
    },
  });
}

/** Makes an organisation, and records its orders as an instance does. */
export async function openRecorder(
  { database, exchange }: App,
  clock: Clock,
  name: string,
): Promise<{ organizationId: string; record: RecordOrder }> {
  const { id } = await database.write((handle) =>
    createOrganization(handle, clock, { name, plan: 'experto' }),
  );
  const organization = database.within(id);
  const listeners = [...exchange.orderListeners, exchange.announce];
  return {
    organizationId: id,
    async record(order) {
      const { changed } = await organization.write((scope) =>
        recordOrders(scope, [order], listeners),
      );
      if (changed !== 1) throw new Error(`${order.id} ${order.status} was no change`);
    },
  };
}

/** An instance in this process whose schedule is stopped: it has no other load. */
export function openStill(
  environment: Readonly<Record<string, string>>,
  now: () => Instant = systemClock.now,
): Promise<App> {
  const clock: Clock = { ...systemClock, now, every: () => () => {}, sleep: async () => {} };
  return openApp(configOf({ PORT: '0', ...environment }), {
    clock,
    log: createLog('silent'),
    random: Math.random,
  });
}
