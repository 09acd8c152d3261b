import type { SourceBalance, Stream } from '../contract.ts';
import { readEach } from '../read-rows.ts';
import { tooLargeIn } from '../too-large.ts';
import type { AmazonCredentials } from './credentials.ts';
import { MEXICO } from './wire.ts';
import { BalancePage, toBalance } from './wire-finances.ts';

const PATH = '/finances/2024-06-19/balances';

export const balances: Stream<SourceBalance, AmazonCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },

  async page(call, { position }) {
    const asOf = call.now();
    const page = await call.get(PATH, BalancePage, {
      query: { marketplaceIds: MEXICO, balanceType: 'TOTAL', nextToken: position ?? undefined },
      rate: 'balances',
    });
    return { items: readEach(page.balances, (row) => toBalance(row, asOf)), next: page.nextToken };
  },

  /** The token of the next page comes with it: the rest is left out of this sync run. */
  async tooLarge() {
    return { items: [tooLargeIn(PATH)], next: null };
  },
};
