/** Balances and payouts. Amounts are JSON numbers here, unlike those of orders. */
import type { Call, Reply, Routes } from '../http.ts';
import {
  DAY,
  invalid,
  iso,
  MEXICO,
  MINUTE,
  PERIOD,
  periodOf,
  type Shop,
  settlementId,
  timeOf,
} from './shop.ts';
import { currency, listTransactions, related, visibleTransactions } from './transactions.ts';

const PERIODS = 4;
const RESERVE = 50_000;

export function financeRoutes(shop: Shop): Routes {
  return {
    'GET /finances/2024-06-19/transactions': (call) => listTransactions(shop, call),
    'GET /finances/2024-06-19/balances': (call) => listBalances(shop, call),
    ...transferRoutes(shop),
  };
}

/** The tree is said once for each kind of account; its parts add up to what they are in. */
function listBalances(shop: Shop, call: Call): Reply {
  shop.enter(call, 'listBalances');
  const now = shop.now();
  const current = visibleTransactions(shop).filter(({ at }) => at >= periodOf(now));
  const sum = (status: string) =>
    current.filter((one) => one.status === status).reduce((total, { net }) => total + net, 0);
  const [deferred, released] = [sum('DEFERRED'), sum('RELEASED')];
  const part = (balanceType: string, amount: number) => ({
    balanceType,
    amount: currency(amount),
  });
  return {
    body: {
      balances: [
        {
          partnerMetadata: partner(shop),
          ...part('TOTAL', released + deferred),
          lastUpdatedTime: local(now),
          balances: [
            part('AVAILABLE', released - RESERVE),
            {
              ...part('RESERVED', deferred + RESERVE),
              balances: [part('DEFERRED', deferred), part('ACCOUNT_LEVEL_RESERVE', RESERVE)],
            },
          ],
        },
      ],
    },
  };
}

/** Payouts, made and expected. */
function transferRoutes(shop: Shop): Routes {
  const { now } = shop;

  function earnedIn(start: number): number {
    return visibleTransactions(shop)
      .filter(({ at }) => at >= start && at < start + PERIOD)
      .filter(({ status }) => status === 'RELEASED')
      .reduce((total, { net }) => total + net, 0);
  }

  function assertOffered(): void {
    if (!shop.switches.transfersOffered) throw invalid('The marketplace is not supported');
  }

  function listPayouts(call: Call): Reply {
    shop.enter(call, 'listPayouts');
    assertOffered();
    const from = timeOf(call, 'createdAfter') ?? 0;
    const to = timeOf(call, 'createdBefore') ?? now();
    const starts = Array.from(
      { length: PERIODS },
      (_, index) => periodOf(now()) - (index + 1) * PERIOD,
    );
    const made = starts.filter((start) => start + PERIOD >= from && start + PERIOD < to);
    return { body: { payouts: made.map((start) => payoutDocument(start, earnedIn(start), shop)) } };
  }

  function listExpected(call: Call): Reply {
    shop.enter(call, 'listExpectedPayouts');
    assertOffered();
    const start = periodOf(now());
    const amount = earnedIn(start);
    return {
      body: {
        expectedPayouts: [
          {
            partnerMetadata: partner(shop),
            ...(amount > 0 && { amount: currency(amount) }),
            status: amount > 0 ? 'SCHEDULED' : 'NO_PAYOUT_EXPECTED',
            scheduledDate: iso(start + PERIOD),
            accountTail: '4321',
            paymentMethod: 'BANK_ACCOUNT',
            ...settlementOf(start),
          },
        ],
      },
    };
  }

  return {
    'GET /finances/transfers/2024-06-01/payouts': listPayouts,
    'GET /finances/transfers/2024-06-01/payouts/expected': listExpected,
  };
}

function payoutDocument(start: number, amount: number, shop: Shop) {
  const made = start + PERIOD;
  const steps = [
    { status: 'STARTED', at: made },
    { status: 'IN_TRANSIT', at: made + DAY / 4 },
    { status: 'PAID', at: made + 2 * DAY },
  ].filter(({ at }, index) => index === 0 || at <= shop.now());
  const history = amount > 0 ? steps : [{ status: 'NO_PAYOUT', at: made }];
  return {
    id: String(Math.floor(made / 1_000)),
    partnerMetadata: partner(shop),
    currentStatus: history.at(-1)?.status,
    statusHistory: history.map(({ status, at }) => ({ status, lastUpdatedDate: iso(at) })),
    ...(amount > 0 && {
      type: 'SCHEDULED',
      amount: currency(amount),
      traceId: `TG${made / DAY}MX`,
    }),
    accountTail: '4321',
    paymentMethod: 'BANK_ACCOUNT',
    creationDate: iso(made),
    ...settlementOf(start),
  };
}

/** The same of a period's payout, expected and made. */
function settlementOf(start: number) {
  return {
    period: { startDate: iso(start), endDate: iso(start + PERIOD) },
    relatedIdentifiers: [related('SETTLEMENT_ID', settlementId(start))],
  };
}

function partner({ sellerId }: Shop) {
  return { partnerId: sellerId, accountType: 'Standard Orders', marketplaceId: MEXICO };
}

/** In the marketplace's own zone. */
function local(at: number): string {
  return new Date(at - 6 * 60 * MINUTE).toISOString().replace(/\.\d+Z$/, '-06:00');
}
