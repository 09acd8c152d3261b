import type { SourceSettlement, Stream } from '../contract.ts';
import { tooLargeIn } from '../kit.ts';
import { placeOfPages, tokenPlaceOf } from '../paging.ts';
import type { MiraklCredentials } from './credentials.ts';
import { CyclePage, readCycle } from './wire.ts';

const PAGE_SIZE = 1_000;

/**
 * Billing cycles: all of them, since their payout's state changes later; once a day, as published.
 */
export const settlements: Stream<SourceSettlement, MiraklCredentials> = {
  every: { minutes: 24 * 60 },
  overlap: { minutes: 0 },
  pageSize: PAGE_SIZE,

  async page(call, { position, limit }) {
    const { token, size } = placeOfPages(limit, tokenPlaceOf(position, PAGE_SIZE));
    const { data, next_page_token } = await call.get('/seller-billing-cycles', CyclePage, {
      query: { limit: size, page_token: token ?? undefined },
    });
    const next = next_page_token && JSON.stringify({ token: next_page_token, size });
    return { items: data.map(readCycle), next };
  },

  /** The oversized page has the token of the next one. */
  async tooLarge() {
    return { items: [tooLargeIn('seller-billing-cycles')], next: null };
  },
};
