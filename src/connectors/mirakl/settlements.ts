import type { SourceSettlement, Stream } from '../contract.ts';
import type { MiraklCredentials } from './credentials.ts';
import { CyclePage, readCycle } from './wire.ts';

const PAGE_SIZE = 1_000;

/** Billing cycles: all of them, since their payout's state changes later; once a day, as published. */
export const settlements: Stream<SourceSettlement, MiraklCredentials> = {
  every: { minutes: 24 * 60 },
  overlap: { minutes: 0 },

  async page(call, { position }) {
    const { data, next_page_token } = await call.get('/seller-billing-cycles', CyclePage, {
      query: { limit: PAGE_SIZE, page_token: position ?? undefined },
    });
    return { items: data.map(readCycle), next: next_page_token };
  },
};
