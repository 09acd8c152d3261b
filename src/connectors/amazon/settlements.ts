import { formatMillis } from '../../platform/time.ts';
import type { Page, Pass, SourceSettlement, Stream } from '../contract.ts';
import { readEach, tooLargeIn } from '../kit.ts';
import type { AmazonCredentials } from './credentials.ts';
import { MEXICO } from './wire.ts';
import {
  ExpectedPayoutPage,
  isPaidOut,
  PayoutPage,
  toExpected,
  toSettlement,
} from './wire-finances.ts';

const PATH = '/finances/transfers/2024-06-01/payouts';

/** First the payouts, then the expected ones; both lists have tokens and empty pages. */
interface Position {
  readonly phase: 'paid' | 'expected';
  readonly token?: string;
}

export const settlements: Stream<SourceSettlement, AmazonCredentials> = {
  every: { minutes: 360 },
  // Found by the day of creation; their status changes for days.
  overlap: { minutes: 30 * 24 * 60 },

  async page(call, pass): Promise<Page<SourceSettlement>> {
    const { phase, token } = positionOf(pass);
    if (phase === 'expected') {
      const query = { marketplaceIds: MEXICO, nextToken: token };
      const page = await call.get(`${PATH}/expected`, ExpectedPayoutPage, {
        query,
        rate: 'expectedPayouts',
      });
      return {
        items: readEach(page.expectedPayouts.filter(isPaidOut), toExpected),
        next: page.nextToken && pack({ phase, token: page.nextToken }),
      };
    }
    const query = { marketplaceIds: MEXICO, ...datesOf(pass), nextToken: token };
    const page = await call.get(PATH, PayoutPage, { query, rate: 'payouts' });
    return {
      items: readEach(page.payouts.filter(isPaidOut), toSettlement),
      next: pack(page.nextToken ? { phase, token: page.nextToken } : { phase: 'expected' }),
    };
  },

  /** The token of the next page comes with it: the rest of the list is left out of this sync run. */
  async tooLarge(_, pass) {
    return positionOf(pass).phase === 'paid'
      ? { items: [tooLargeIn(PATH)], next: pack({ phase: 'expected' }) }
      : { items: [tooLargeIn(`${PATH}/expected`)], next: null };
  },
};

function positionOf({ position }: Pass): Position {
  return position === null ? { phase: 'paid' } : JSON.parse(position);
}

function datesOf({ window }: Pass) {
  return {
    createdAfter: window.from ? formatMillis(window.from) : undefined,
    createdBefore: formatMillis(window.to),
  };
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
