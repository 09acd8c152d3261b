import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Marketplace } from '../src/connectors/contract.ts';
import { renew } from '../src/exchange/wire/renew-early.ts';
import { dueAt } from '../src/features/schedules/index.ts';
import type { Answer } from '../src/platform/network.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { freshDatabase } from './support/server.ts';
import { altering } from './support/stand-network.ts';
import { openStage } from './support/stand-stage.ts';
import { STAND_OF } from './support/stands.ts';

// Services say absurd things about time: none of them stops an account.

const instance = await openApp(WHOLE_FILE, {
  clock: turnedClock(),
  database: await freshDatabase(),
});
const ORDERS = 3;

for (const [what, retryAfter] of [
  ['the year 9999', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ['thirty million years', '999999999999999'],
] as const)
  test(`a store that asks for a pause until ${what} is asked again after a day`, async (t) => {
    const stage = await openStand(t, 'woocommerce', what);
    const limited: Answer = { status: 429, headers: { 'retry-after': retryAfter }, body: '{}' };
    const network = { ...stage.parts.network, send: async () => limited };

    await stage.tick({ ...stage.parts, network });

    const subject = `${stage.connectionId}:orders`;
    const organization = stage.parts.database.within(stage.organizationId);
    const due = await organization.read((scope) => dueAt(scope, 'sync', subject));
    assert.ok(due);
    assert.ok(stage.clock.now().until(due).total('hours') <= 24, `due at ${due}`);
    await stage.tick(stage.parts, { hours: 24 });
    await stage.holdToAccount();
  });

for (const retryAfter of ['1800', '1800.0', '1799.25'])
  test(`a store that asks for a pause of ${retryAfter} seconds has it`, async (t) => {
    const stage = await openStand(t, 'shopify', `pause ${retryAfter}`);
    const limited: Answer = { status: 429, headers: { 'retry-after': retryAfter }, body: '{}' };
    const network = { ...stage.parts.network, send: async () => limited };
    const asked = stage.clock.now();

    await stage.tick({ ...stage.parts, network });

    const subject = `${stage.connectionId}:orders`;
    const organization = stage.parts.database.within(stage.organizationId);
    const due = await organization.read((scope) => dueAt(scope, 'sync', subject));
    assert.ok(due);
    assert.ok(asked.until(due).total('seconds') >= 1_800, `due at ${due}`);
  });

/** Where a renewal says how long its token lives. */
const TOKENS = [
  ['mercado_libre', /\/oauth\/token/, 'expires_in'],
  ['amazon', /\/auth\/o2\/token/, 'expires_in'],
  ['walmart', /\/token/, 'expires_in'],
  ['tiktok_shop', /\/token\/refresh/, 'access_token_expire_in'],
] as const;
const LIVES = ['6 h', 1e13, -1, 1e300, [], 21_600.5];

for (const [marketplace, address, field] of TOKENS)
  test(`${marketplace}: a token whose life is absurd is stored and used`, async (t) => {
    const stage = await openStand(t, marketplace, `life ${marketplace}`);
    for (const life of LIVES) {
      const network = altering(stage.parts.network, address, (document: Row) => {
        const token = field in document ? document : document.data;
        assert.ok(field in token, `no ${field} in the answer`);
        token[field] = life;
      });

      await renew({ ...stage.parts, network }, await stage.connection());

      await stage.tick();
      assert.equal((await stage.connection()).state, 'ok', JSON.stringify(life));
    }
    await stage.holdToAccount();
  });

// biome-ignore lint/suspicious/noExplicitAny: answers of a marketplace, altered on their way
type Row = any;

async function openStand(t: TestContext, marketplace: Marketplace, seed: string) {
  const stand = STAND_OF[marketplace];
  const stage = await openStage(instance, stand, { seed, orders: ORDERS });
  t.after(stage.shop.close);
  return stage;
}
