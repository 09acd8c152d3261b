import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApp, type TestApp } from '../support/app.ts';
import { turnedClock } from '../support/clock.ts';
import {
  callsTo,
  connectAccount,
  notify,
  openMarket,
  query,
  type Seller,
  sell,
} from '../support/market.ts';
import { freshDatabase } from '../support/server.ts';
import { eventually, lastFirst } from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';

// Mercado Libre signs no webhook: a seller's number suffices to forge any number of them.

const FORGED = sized({ small: 1_000, quick: 3_000, long: 3_000 });
/** Of the turned clock: a hundred a second. */
const EVERY_MS = 10;
const AT_ONCE = 20;
/** An honest webhook of another seller after so many forged ones. */
const HONEST_EVERY = 200;
const DONE_WITHIN_MS = within(2_000);
/** The budget at once and two a second, and one receipt for the others. */
const MOST_RECEIPTS = 60 + 2 * ((FORGED * EVERY_MS) / 1_000) + 1;
const MOST_RECEIPT_BYTES = 1024 * 1024;
/** As large as the receiver takes. */
const FILLING = 'x'.repeat(3_500);

test(`${FORGED} forged webhooks to one account at a hundred a second: the webhooks of others are done, and little is kept`, {
  timeout: 300_000,
}, async (t) => {
  const end = lastFirst(t);
  const clock = turnedClock();
  const market = await openMarket(end, clock);
  const own = await openApp(end, { clock, database: await freshDatabase(), env: market.env });
  const [attacked, other] = [market.newSeller(), market.newSeller()];
  const attackedId = await connectAccount(
    own,
    own.organization.id,
    market.credentials(attacked.id),
  );
  const tenant = await own.tenant();
  await connectAccount(own, tenant.organization.id, market.credentials(other.id));
  const delays: number[] = [];

  for (let sent = 0; sent < FORGED; sent += AT_ONCE) {
    const forged = Array.from({ length: AT_ONCE }, (_, at) => forge(own, attacked, sent + at));
    assert.deepEqual([...new Set(await Promise.all(forged))], [200]);
    clock.advance({ milliseconds: AT_ONCE * EVERY_MS });
    if (sent % HONEST_EVERY === 0)
      delays.push(await honestPush(own, other, tenant.organization.id));
  }

  const [kept] = await query(
    own,
    'select count(*)::int as rows, sum(octet_length(body) + 200)::int as bytes, sum(pushes)::int as pushes from receipts where connection_id = $1',
    [attackedId],
  );
  const asked = callsTo(market, /GET \/orders\/99/).length;
  reportFigure(
    t,
    `forged pushes: ${FORGED} to one account became ${kept?.rows} receipts of ${kept?.bytes} bytes and ${asked} calls; the push of another account was done after ` +
      `${Math.max(...delays).toFixed(0)} ms (worst of ${delays.length})`,
  );
  assert.equal(kept?.pushes, FORGED, 'each is counted');
  assert.ok((kept?.rows as number) <= MOST_RECEIPTS, `${kept?.rows} receipts`);
  assert.ok((kept?.bytes as number) <= MOST_RECEIPT_BYTES, `${kept?.bytes} bytes of receipts`);
  assert.ok(
    median(delays) <= DONE_WITHIN_MS,
    `pushes of another account were done after ${delays} ms`,
  );
});

function forge(own: TestApp, seller: Seller, number: number): Promise<number> {
  return notify(own, seller, `/orders/99${number}`, { attempts: number, filling: FILLING });
}

/** Milliseconds from the webhook of a new order until it is stored. */
async function honestPush(own: TestApp, seller: Seller, organizationId: string): Promise<number> {
  const order = sell(seller);
  const startedAt = performance.now();
  assert.equal(await notify(own, seller, `/orders/${order}`), 200);
  const text = 'select from orders where organization_id = $1 and id = $2';
  const isStored = async () => (await query(own, text, [organizationId, order])).length > 0;
  assert.ok(
    await eventually(isStored, within(30_000), 10),
    'the push of another account was never done',
  );
  return performance.now() - startedAt;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
