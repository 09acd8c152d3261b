import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePayout } from '../../src/features/ledger/index.ts';
import { cursorMaker } from '../../src/platform/cursor.ts';
import { query } from '../support/market.ts';
import {
  type Account,
  centsOf,
  type Month,
  moneyByOrder,
  openMonth,
  textOf,
  WITH_LEDGER,
} from '../support/month.ts';
import { doWrong, found } from '../support/month-faults.ts';
import { reportFigure, sized } from './support/profile.ts';

// A month of a seller at ten marketplaces: all of its money is in a payout, or listed as not paid
// out yet, and what was done wrong is found.

const ORDERS = sized({ small: 500, quick: 500, long: 10_000 });
const PAGE = 500;

test('every cent of a month at ten marketplaces is assigned or listed, and twenty faults are found', async (t) => {
  const month = await openMonth(t, ORDERS);
  let [assigned, listed] = [0, 0];
  for (const account of WITH_LEDGER) {
    const { marketplace } = account;
    const [paid, open] = [await inPayouts(month, account), await notPaid(month, account)];
    const moved = (month.moved.get(marketplace) ?? []).filter(({ kind }) => kind !== 'payout');
    const all = moved.reduce((sum, { cents }) => sum + cents, 0);
    assert.equal(paid.cents + open.cents, all, marketplace);
    const own = month.orders.filter((order) => order.marketplace === marketplace);
    const met = [...paid.orders, ...open.orders].toSorted();
    assert.deepEqual(met, own.map(({ id }) => id).toSorted(), 'each order is in one place');
    assigned += paid.cents;
    listed += open.cents;
  }
  assert.ok(assigned > 0 && listed > 0);
  assert.deepEqual(await moneyShown(month), moneyByOrder(month));

  assert.deepEqual(await found(month), [], 'a month without faults has no finding');
  const faults = await doWrong(month);
  const findings = await found(month);
  assert.equal(faults.length, 20);
  assert.deepEqual(findings.toSorted(), faults.toSorted());
  reportFigure(
    t,
    `${ORDERS} orders at ten marketplaces: ${textOf(assigned)} MXN in payouts, ${textOf(listed)} MXN listed, difference 0.00; ${findings.length} of ${faults.length} faults, 0 false`,
  );
});

/** The lines of all payouts of an account, each equal to its payout. */
async function inPayouts({ instance, payouts }: Month, { marketplace, accountId }: Account) {
  const cursors = cursorMaker(instance.app.exchange.keyring);
  const within = instance.app.database.within(instance.organization.id);
  const orders: string[] = [];
  let cents = 0;
  const read = (id: string, cursor: string | null) =>
    within.read((scope) =>
      describePayout(scope, cursors, { marketplace, accountId, id, limit: PAGE, cursor }),
    );
  for (const { id } of payouts.get(marketplace) ?? []) {
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof read>> = await read(id, cursor);
      assert.ok(page);
      assert.equal(Number(page.difference), 0, `${marketplace} ${id}`);
      for (const { net, order_id } of page.lines) {
        cents += centsOf(net);
        if (order_id !== '') orders.push(order_id);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
  return { cents, orders };
}

/** The movements that no payout has: those after the last one of a balance, or without a payout. */
async function notPaid({ instance }: Month, { marketplace, accountId }: Account) {
  const rows = await query(
    instance,
    `select m.order_id, sum(m.amount)::text as amount from movements m
      where m.marketplace = $1 and m.account_id = $2 and m.payout_id is null
        and m.at > coalesce((select max(p.at) from movements p where p.kind = 'payout'
          and p.marketplace = $1 and p.account_id = $2), '-infinity')
      group by m.order_id`,
    [marketplace, accountId],
  );
  return {
    cents: rows.reduce((sum, { amount }) => sum + centsOf(String(amount)), 0),
    orders: rows.flatMap(({ order_id }) => (order_id === null ? [] : [String(order_id)])),
  };
}

/** What orders show of the ledger: net, fees and taxes withheld. */
async function moneyShown({ instance }: Month): Promise<Map<string, number[]>> {
  const rows = await query(
    instance,
    `select id, detail_json::jsonb ->> 'net_total' as net, detail_json::jsonb ->> 'fees_total' as fees,
        detail_json::jsonb ->> 'withheld_total' as withheld
       from orders where detail_json::jsonb ->> 'net_total' is not null`,
  );
  return new Map(
    rows.map(({ id, net, fees, withheld }) => [
      String(id),
      [net, fees, withheld].map((amount) => centsOf(String(amount))),
    ]),
  );
}
