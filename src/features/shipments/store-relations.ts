import type { Marketplace } from '../../connectors/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { OrderIdentity } from '../orders/index.ts';
import type { CarrierAccount, Shipment, ShipmentIdentity } from './shipment.ts';
import { KEYS, keyRowOf, ORDER_KEYS, orderKeyRowOf } from './store-keys.ts';
import { SHOWN, type ShipmentRow, shipmentOf } from './store-rows.ts';

/** Followed upwards and downwards; a shipment that names itself, or a cycle, ends it. */
const FAMILY = KEYS.statement<ShipmentRow>(
  'shipments.family',
  (given) => `with recursive family (carrier, account_id, id) as (
     select carrier, account_id, id collate "C" from ${given}
     union
     select f.carrier, f.account_id, relative.id from family f, lateral (
       select child.id from shipments child
        where child.organization_id = $1 and child.carrier = f.carrier
          and child.account_id = f.account_id and child.parent_id = f.id
       union all
       select known.parent_id from shipments known
        where known.organization_id = $1 and known.carrier = f.carrier
          and known.account_id = f.account_id and known.id = f.id
          and known.parent_id is not null) relative)
   select ${SHOWN} from family f join shipments s on s.organization_id = $1 and s.carrier = f.carrier
      and s.account_id = f.account_id and s.id = f.id
    order by s.carrier, s.account_id, s.id`,
);

/** These shipments, with those that they follow and those that follow them, if stored. */
export async function familyOf(
  scope: ReadScope,
  shipments: readonly ShipmentIdentity[],
): Promise<Shipment[]> {
  if (shipments.length === 0) return [];
  const values = FAMILY.values([], shipments.map(keyRowOf));
  return (await scope.prepared(FAMILY, values)).map(shipmentOf);
}

const FORGET = statement<object>(
  'shipments.forget-relations',
  `delete from shipment_relations
    where organization_id = $1 and carrier = $2 and account_id = $3
      and shipment_id = any($4::text[])`,
);

const RELATIONS = bulk('shipment_relations', ['shipment_id', 'value']);

const ADD = RELATIONS.statement(
  'shipments.add-relations',
  (
    given,
  ) => `insert into shipment_relations (organization_id, carrier, account_id, ${RELATIONS.names})
   select $1, $2::text, $3::text, given.* from ${given}
   on conflict do nothing`,
);

/** Replaces shipments' references to their orders. */
export async function setRelations(
  scope: WriteScope,
  { carrier, accountId }: CarrierAccount,
  reported: readonly { id: string; values: readonly string[] }[],
): Promise<void> {
  await scope.prepared(FORGET, [carrier, accountId, reported.map(({ id }) => id)]);
  const rows = reported.flatMap(({ id, values }) =>
    values.map((value) => ({ shipment_id: id, value })),
  );
  if (rows.length > 0) await scope.prepared(ADD, ADD.values([carrier, accountId], rows));
}

const NAMING = statement<ShipmentRow>(
  'shipments.naming',
  `select distinct on (s.carrier, s.account_id, s.id) ${SHOWN}
     from (select distinct value from unnest($2::text[]) as value) as given
    cross join lateral (
      select * from shipment_relations
       where organization_id = $1 and value = given.value offset 0) as r
    cross join lateral (
      select * from shipments
       where organization_id = $1 and carrier = r.carrier and account_id = r.account_id
         and id between r.shipment_id and r.shipment_id order by id limit 1) as s
    order by s.carrier, s.account_id, s.id`,
);

/** Shipments that name one of these, as an order's id, pack or tag. */
export async function shipmentsNaming(
  scope: ReadScope,
  values: readonly string[],
): Promise<Shipment[]> {
  return (await scope.prepared(NAMING, [values])).map(shipmentOf);
}

const LINKS = bulk('shipments', [
  'carrier',
  'account_id',
  'id',
  'order_marketplace',
  'order_account_id',
  'order_id',
]);

const LINK = LINKS.statement(
  'shipments.link',
  (given) => `update shipments s
      set order_marketplace = given.order_marketplace, order_account_id = given.order_account_id,
          order_id = given.order_id, updated_at = $2::timestamptz
     from ${given}
    where s.organization_id = $1 and s.carrier = given.carrier
      and s.account_id = given.account_id and s.id = given.id`,
);

export async function linkOrders(
  scope: WriteScope,
  links: readonly { shipment: ShipmentIdentity; order: OrderIdentity | null }[],
): Promise<void> {
  if (links.length === 0) return;
  const rows = links.map(({ shipment, order }) => ({
    ...keyRowOf(shipment),
    order_marketplace: order?.marketplace ?? null,
    order_account_id: order?.accountId ?? null,
    order_id: order?.id ?? null,
  }));
  await scope.prepared(LINK, LINK.values([scope.clock.now().toString()], rows));
}

const OF_ORDERS = ORDER_KEYS.statement<ShipmentRow>(
  'shipments.of-orders',
  (given) => `select ${SHOWN} from ${given}
     join shipments s on s.organization_id = $1 and s.order_marketplace = given.marketplace
       and s.order_account_id = given.account_id and s.order_id = given.id`,
);

/** The shipments that are linked to these orders. */
export async function shipmentsOf(
  scope: ReadScope,
  orders: readonly OrderIdentity[],
): Promise<Shipment[]> {
  const values = OF_ORDERS.values([], orders.map(orderKeyRowOf));
  return (await scope.prepared(OF_ORDERS, values)).map(shipmentOf);
}

const FORGET_OF_ORDERS = ORDER_KEYS.statement(
  'shipments.forget-order-relations',
  (given) => `delete from order_relations r using ${given}
    where r.organization_id = $1 and r.marketplace = given.marketplace
      and r.account_id = given.account_id and r.order_id = given.id and r.kind <> 'guide'`,
);

/** Forgets the names that a marketplace gave to these orders. */
export async function forgetOrderRelations(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<void> {
  if (orders.length === 0) return;
  const values = FORGET_OF_ORDERS.values([], orders.map(orderKeyRowOf));
  await scope.prepared(FORGET_OF_ORDERS, values);
}

const ORDER_RELATIONS = bulk('order_relations', [
  'marketplace',
  'account_id',
  'order_id',
  'kind',
  'value',
]);

const ADD_OF_ORDERS = ORDER_RELATIONS.statement(
  'shipments.add-order-relations',
  (given) => `insert into order_relations (organization_id, ${ORDER_RELATIONS.names})
   select $1, * from ${given} on conflict do nothing`,
);

/** Stores orders' names besides their id. */
export async function addOrderRelations(
  scope: WriteScope,
  named: readonly { order: OrderIdentity; packId: string | null; tags: readonly string[] }[],
): Promise<void> {
  const rows = named.flatMap(({ order: { marketplace, accountId, id }, packId, tags }) => {
    const order = { marketplace, account_id: accountId, order_id: id };
    return [
      ...(packId ? [{ ...order, kind: 'pack', value: packId }] : []),
      ...tags.map((value) => ({ ...order, kind: 'tag', value })),
    ];
  });
  if (rows.length > 0) await scope.prepared(ADD_OF_ORDERS, ADD_OF_ORDERS.values([], rows));
}

/** Stores the reference of a guide as a name of the orders that it is made for. */
export async function addGuideRelations(
  scope: WriteScope,
  reference: string,
  orders: readonly OrderIdentity[],
): Promise<void> {
  const rows = orders.map(({ marketplace, accountId, id }) => ({
    marketplace,
    account_id: accountId,
    order_id: id,
    kind: 'guide',
    value: reference,
  }));
  if (rows.length > 0) await scope.prepared(ADD_OF_ORDERS, ADD_OF_ORDERS.values([], rows));
}

const GUIDES_OF = statement<{ value: string }>(
  'shipments.guides-of-order',
  `select value from order_relations
    where organization_id = $1 and marketplace = $2 and account_id = $3 and order_id = $4
      and kind = 'guide'`,
);

/** The references of the guides that were made here for an order. */
export async function guideReferencesOf(
  scope: ReadScope,
  { marketplace, accountId, id }: OrderIdentity,
): Promise<string[]> {
  const rows = await scope.prepared(GUIDES_OF, [marketplace, accountId, id]);
  return rows.map(({ value }) => value);
}

const WITH_VALUES = statement<Omit<Rows['order_relations'], 'organization_id'>>(
  'shipments.order-relations',
  `select named.* from (select distinct value from unnest($2::text[]) as value) as given
    cross join lateral (
      select value, kind, marketplace, account_id, order_id from order_relations
       where organization_id = $1 and value = given.value offset 0) as named`,
);

/** Orders whose pack, tag or guide is one of these. */
export async function orderRelations(scope: ReadScope, values: readonly string[]) {
  return (await scope.prepared(WITH_VALUES, [values])).map((row) => ({
    value: row.value,
    kind: row.kind as 'pack' | 'tag' | 'guide',
    order: {
      marketplace: row.marketplace as Marketplace,
      accountId: row.account_id,
      id: row.order_id,
    },
  }));
}
