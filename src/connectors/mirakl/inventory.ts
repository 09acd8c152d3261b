import type { SourceStock, Stream } from '../contract.ts';
import type { MiraklCredentials } from './credentials.ts';
import { nextOffset, PAGE_SIZE } from './orders.ts';
import { OfferPage, readOffer } from './wire.ts';

/** Every offer, each time: their list cannot be asked for what changed. */
export const inventory: Stream<SourceStock, MiraklCredentials> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },

  async page(call, { position }) {
    const offset = Number(position ?? 0);
    const { offers, total_count } = await call.get('/offers', OfferPage, {
      query: { max: PAGE_SIZE, offset },
    });
    return { items: offers.map(readOffer), next: nextOffset(offset, offers.length, total_count) };
  },
};
