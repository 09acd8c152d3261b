import type { Page, SourceBalance, Stream } from '../../connectors/contract.ts';
import { add } from '../../platform/money.ts';
import type { ZipnovaCredentials } from './credentials.ts';
import type { ZipnovaCall } from './shipments.ts';
import { Prepaid } from './wire.ts';

/**
 * The prepaid balance. An account that does not report it has no balance here, which is not a
 * balance of 0.
 */
export const balances: Stream<SourceBalance, ZipnovaCredentials> = {
  every: { minutes: 1_440 },
  overlap: { minutes: 0 },
  page: async (call): Promise<Page<SourceBalance>> => ({
    items: await readPrepaid(call),
    next: null,
  }),
  one: readPrepaid,
};

async function readPrepaid(call: ZipnovaCall) {
  const asOf = call.now();
  const { balance: reported } = await call.get(`/accounts/${call.credentials.account_id}`, Prepaid);
  if (!reported) return [];
  const { balance, available, credit_limit: creditLimit, currency } = reported;
  const derived = balance !== null && creditLimit !== null ? add(balance, creditLimit) : null;
  return [
    {
      ok: true as const,
      item: {
        purse: '',
        currency: currency ?? 'MXN',
        available: available ?? derived,
        pending: null,
        balance,
        creditLimit,
        asOf,
        isDerived: available === null,
      },
    },
  ];
}
