import type { SourceBalance, SourceSettlement, Stream } from '../contract.ts';
import { readEach } from '../kit.ts';
import type { ShopifyCredentials } from './credentials.ts';
import { ask, positionAfter, positionOf, smaller } from './graphql.ts';
import { BALANCE, PAYOUTS } from './queries.ts';
import { Balance, issueTimeOf, PayoutsPage, toBalances, toSettlement } from './wire.ts';

/**
 * A shop without Shopify Payments, as most in Mexico, has no account there: no balance, and not a
 * zero.
 */

export const balances: Stream<SourceBalance, ShopifyCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },

  async page(call) {
    const answered = await ask(call, BALANCE, {}, Balance);
    const found = answered ? toBalances(answered.data, answered.fetchedAt) : [];
    return { items: found.map((item) => ({ ok: true, item })), next: null };
  },
};

const PAGE_SIZE = 20;
/** A payout is listed by its issue time, which does not change; its status changes for so long. */
const SETTLES_WITHIN_HOURS = 30 * 24;

export const settlements: Stream<SourceSettlement, ShopifyCredentials> = {
  every: { minutes: 360 },
  overlap: { minutes: SETTLES_WITHIN_HOURS * 60 },

  async page(call, { position: packed, window: { from } }) {
    const position = positionOf(packed, PAGE_SIZE);
    const answered = await ask(
      call,
      PAYOUTS,
      { after: position.after, n: position.size },
      PayoutsPage,
    );
    if (!answered) return { items: [], next: smaller(position) };
    const account = answered.data.shopifyPaymentsAccount;
    if (!account) return { items: [], next: null };
    const { nodes, pageInfo } = account.payouts;
    const oldest = issueTimeOf(nodes.at(-1));
    // Newest first.
    const isPast = from !== null && oldest !== null && Temporal.Instant.compare(oldest, from) < 0;
    return {
      items: readEach(nodes, toSettlement),
      next: isPast ? null : positionAfter(position, pageInfo),
    };
  },
};
