import type { SourceBalance, Stream } from '../contract.ts';
import { readEach } from '../kit.ts';
import type { AmazonCredentials } from './credentials.ts';
import { MEXICO } from './wire.ts';
import { BalancePage, toBalance } from './wire-finances.ts';

export const balances: Stream<SourceBalance, AmazonCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },

  async page(call, { position }) {
    const asOf = call.now();
    const page = await call.get('/finances/2024-06-19/balances', BalancePage, {
      query: { marketplaceIds: MEXICO, balanceType: 'TOTAL', nextToken: position ?? undefined },
      rate: 'balances',
    });
    return { items: readEach(page.balances, (row) => toBalance(row, asOf)), next: page.nextToken };
  },
};
