import { z } from 'zod';
import type { Carrier } from '../../../carriers/contract.ts';
import { findCarrier, serviceName } from '../../../carriers/registry.ts';
import {
  type Balance,
  isCarrierPurse,
  listBalances,
  listFloors,
  listSettlements,
  SETTLEMENT_FILTERS,
  setFloor,
  subjectOf,
} from '../../../features/balances/index.ts';
import { fail, invalid } from '../../../platform/failure.ts';
import { inputOf, orNull, pageInput } from '../../../platform/input-fields.ts';
import { compare, type Decimal, parseDecimal, ZERO } from '../../../platform/money.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, defineWrite, toAmount } from '../operation.ts';

const amount = z.number().nullable();
const Purse = z.object({
  key: z.string(),
  service: z.string(),
  name: z.string(),
  is_carrier: z.boolean(),
  /** The carrier tells it with a guide, and only then. */
  is_told_with_guides: z.boolean(),
  account_id: z.string(),
  purse: z.string().nullable(),
  currency: z.string(),
  /** Null = the service does not report it. */
  available: amount,
  pending: amount,
  /** Of carriers: paid in advance, and up to how much it gives credit. */
  balance: amount,
  credit_limit: amount,
  releases: z.array(z.object({ at: z.string(), amount: z.number() })),
  taken_at: z.string(),
  is_derived: z.boolean(),
  /** Below this an alert is raised; null = none. */
  least: amount,
});
const Silent = z.object({ service: z.string(), account_id: z.string() });

/** The latest balance of every purse, and the accounts without a reported balance. */
export const listBalancesOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({}),
  output: z.object({ data: z.array(Purse), silent: z.array(Silent) }),
  async run({ scope }) {
    const { balances, offers } = await listBalances(scope);
    const floors = await listFloors(scope);
    const least = new Map(floors.map((floor) => [subjectOf(floor), floor.least]));
    const isReported = (one: { service: string; accountId: string }) =>
      balances.some((of) => of.service === one.service && of.accountId === one.accountId);
    return {
      data: balances.map((balance) => purseOf(balance, least.get(subjectOf(balance)) ?? null)),
      silent: offers
        .filter((offer) => !isReported(offer))
        .map(({ service, accountId }) => ({ service, account_id: accountId })),
    };
  },
});

function purseOf(of: Balance, least: Decimal | null) {
  return {
    key: subjectOf(of),
    service: of.service,
    name: serviceName(of.service),
    is_carrier: isCarrierPurse(of),
    is_told_with_guides: isCarrierPurse(of) && !reportsBalances(of.service),
    account_id: of.accountId,
    purse: of.purse === '' ? null : of.purse,
    currency: of.currency,
    available: toAmount(of.available),
    pending: toAmount(of.pending),
    balance: toAmount(of.balance ?? null),
    credit_limit: toAmount(of.creditLimit ?? null),
    releases: (of.releases ?? []).map((one) => ({
      at: formatMillis(one.at),
      amount: toAmount(one.amount),
    })),
    taken_at: formatMillis(of.asOf),
    is_derived: of.isDerived,
    least: toAmount(least),
  };
}

function reportsBalances(service: Balance['service']): boolean {
  return findCarrier(service as Carrier)?.balances !== undefined;
}

const LONGEST_KEY = 1_000;
const LONGEST_AMOUNT = 20;

/** Sets or removes the amount below which an alert is raised. */
export const setFloorOperation = defineWrite({
  action: 'manage_connections',
  capability: null,
  input: inputOf({
    key: z
      .string()
      .min(1)
      .max(LONGEST_KEY)
      .meta({ description: 'El saldo.', examples: ['["a"]'] }),
    least: orNull(
      z
        .string()
        .max(LONGEST_AMOUNT)
        .meta({ description: 'El mínimo.', examples: ['500'] }),
    ),
  }),
  output: z.object({ least: amount }),
  async run({ database }, { key, least: typed }) {
    const least = typed === null ? null : parseDecimal(typed.replaceAll(',', ''));
    if (typed !== null && (least === null || compare(least, ZERO) <= 0))
      throw invalid('least', 'El mínimo debe ser un importe mayor que 0.');
    await database.write(async (scope) => {
      const { balances } = await listBalances(scope);
      const balance = balances.find((one) => subjectOf(one) === key);
      if (!balance) throw fail('not_found');
      await setFloor(scope, balance, least);
    });
    return { least: toAmount(least) };
  },
});

const Settlement = z.object({
  id: z.string(),
  marketplace: z.string(),
  account_id: z.string(),
  status: z.string(),
  marketplace_status: z.string(),
  currency: z.string(),
  gross: amount,
  fees: amount,
  net: z.number(),
  period_from: z.string().nullable(),
  period_to: z.string().nullable(),
  paid_at: z.string().nullable(),
  reference: z.string().nullable(),
});

/** Payouts of the marketplaces, newest first. */
export const listSettlementsOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({ ...pageInput({ usual: 50, most: 100 }), ...SETTLEMENT_FILTERS }),
  output: z.object({ data: z.array(Settlement), next_cursor: z.string().nullable() }),
  async run({ scope, cursors }, query) {
    const { settlements, nextCursor } = await listSettlements(scope, cursors, query);
    return {
      data: settlements.map((one) => ({
        id: one.id,
        marketplace: one.marketplace,
        account_id: one.accountId,
        status: one.status,
        marketplace_status: one.marketplaceStatus,
        currency: one.currency,
        gross: toAmount(one.gross),
        fees: toAmount(one.fees),
        net: toAmount(one.net),
        period_from: one.from && formatMillis(one.from),
        period_to: one.to && formatMillis(one.to),
        paid_at: one.paidAt && formatMillis(one.paidAt),
        reference: one.reference,
      })),
      next_cursor: nextCursor,
    };
  },
});
