import type { SourceStock, Stream } from '../contract.ts';
import type { MiraklCredentials } from './credentials.ts';
import { behindLarge, nextOffset, PAGE_SIZE } from './orders.ts';
import { OfferPage, readOffer } from './wire.ts';

/** Every offer, each time: the list has no filter for changes. */
export const inventory: Stream<SourceStock, MiraklCredentials> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },
  pageSize: PAGE_SIZE,

  async page(call, { position, limit }) {
    const offset = Number(position ?? 0);
    const { offers, total_count } = await call.get('/offers', OfferPage, {
      query: { max: limit, offset },
    });
    return { items: offers.map(readOffer), next: nextOffset(offset, offers.length, total_count) };
  },

  async tooLarge(_, request) {
    return behindLarge('offers', request);
  },
};
