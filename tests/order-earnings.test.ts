import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EARNINGS, ORDER } from '../src/features/orders/index.ts';
import { may, ROLES, type Role } from '../src/features/people/index.ts';
import { decimal } from '../src/platform/money.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { type Agent, anAgent } from './support/agents.ts';
import { anOrder, openApp } from './support/app.ts';
import { callTool } from './support/mcp.ts';
import { openParcels } from './support/parcels.ts';

// What the seller is charged, pays to carriers, has withheld and earns, and which roles' agents see
// it.

/** Every role sees what was bought, by whom, for how much, and where it is. */
const FOR_ALL = [
  ...[
    'id',
    'marketplace',
    'account_id',
    'status',
    'total',
    'currency',
    'buyer_name',
    'date_created',
  ],
  ...[
    'date_closed',
    'items',
    'connection_id',
    'marketplace_status',
    'payment_status',
    'fulfillment_status',
  ],
  ...[
    'subtotal',
    'order_discount',
    'discount_total',
    'shipping_total',
    'pack',
    'tax_total',
    'tax_added',
  ],
  ...[
    'other',
    'other_total',
    'total_includes',
    'money_check',
    'money_difference',
    'refunded_total',
    'refunds',
  ],
  ...['shipping', 'cfdi', 'channel_relations'],
];
const FOR_MONEY = [
  ...[
    'marketplace_discount_total',
    'fees_total',
    'fees_source',
    'withheld_total',
    'net_total',
    'net_complete',
  ],
];
const SEES_MONEY: Readonly<Record<Role, boolean>> = {
  owner: true,
  admin: true,
  member: true,
  supervisor: false,
  warehouse: false,
};
const NOT_STORED = ['status_history', 'last_updated'];

const own = await openApp(WHOLE_FILE);
await own.record([
  anOrder({
    feesTotal: decimal('36.39'),
    withheldTotal: decimal('27.08'),
    netTotal: decimal('100000000000000.123450'),
    marketplaceDiscountTotal: decimal('5.00'),
  }),
]);

test('every field of an order is either for all or the seller’s own money: a new one has to be decided', () => {
  assert.deepEqual([...EARNINGS].sort(), FOR_MONEY.toSorted());
  assert.deepEqual(Object.keys(ORDER).sort(), [...FOR_ALL, ...FOR_MONEY].sort());
  const brief = Object.entries(ORDER).filter(
    ([, { views, isEarnings }]) => views.includes('list') && isEarnings,
  );
  assert.deepEqual(brief, []);
});

test('an agent sees the seller’s own money where its person’s role does', async () => {
  for (const role of ROLES) {
    const agent = await anAgent(own, { role, scopes: ['orders:read'] });
    const wanted = [...FOR_ALL, ...NOT_STORED, ...(SEES_MONEY[role] ? FOR_MONEY : [])].sort();

    const one = await answerOf(agent, 'get_order', { id: '2000000000000001' });
    const listed = await answerOf(agent, 'list_orders', { fields: 'full' });
    const brief = await answerOf(agent, 'list_orders', {});

    assert.deepEqual(Object.keys(one.data).sort(), wanted, role);
    assert.deepEqual(Object.keys(listed.data[0]).sort(), wanted, role);
    assert.equal(
      Object.keys(brief.data[0]).some((name) => FOR_MONEY.includes(name)),
      false,
    );
  }
});

test('what is left is the same for all, to the digit', async () => {
  const [owner, worker] = [
    await anAgent(own),
    await anAgent(own, { role: 'warehouse', scopes: ['orders:read'] }),
  ];

  const whole = await answerOf(owner, 'get_order', { id: '2000000000000001' });
  const part = await answerOf(worker, 'get_order', { id: '2000000000000001' });

  assert.equal(whole.data.fees_total, 36.39);
  for (const name of FOR_MONEY) delete whole.data[name];
  assert.deepEqual(part.data, whole.data);
});

test('an agent sees what a shipment costs where its person’s role sees the seller’s own money', {
  tags: ['slow'],
}, async (t) => {
  const { own: shop, sim, connect } = await openParcels(t);
  sim.parcels.make();
  await connect();

  for (const role of ROLES) {
    const agent = await anAgent(shop, { role, scopes: ['shipments:read'] });
    for (const fields of ['compact', 'full']) {
      const { data } = await answerOf(agent, 'list_shipments', { fields }, shop);
      assert.equal(data.length, 1);
      assert.equal(data[0].cost, SEES_MONEY[role] ? 129.42 : undefined, `${role}, ${fields}`);
      assert.equal(data[0].status, 'PREPARACION');
    }
  }
});

test('API keys, which see the seller’s own money, are made by roles that see it too', () => {
  for (const role of ROLES)
    if (may(role, 'manage_keys')) assert.equal(may(role, 'read_money'), true, role);
});

async function answerOf(
  agent: Agent,
  tool: string,
  given: Record<string, unknown>,
  instance = own,
) {
  const { body, status } = await callTool(instance, agent, tool, given);
  assert.equal(status, 200);
  assert.notEqual(body.result.isError, true, JSON.stringify(body.result));
  return body.result.structuredContent;
}
