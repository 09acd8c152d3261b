/** What marketplaces do wrong in a month, and what is found of it. */
import { findProblems, listFindings } from '../../src/features/findings/index.ts';
import { cursorMaker } from '../../src/platform/cursor.ts';
import {
  type Account,
  centsOf,
  inside,
  type Month,
  movement,
  orderOf,
  type Part,
  partsOf,
  REPORT,
  record,
  recordPayouts,
  textOf,
  WITH_LEDGER,
  ZONE,
} from './month.ts';

const AT = Temporal.Instant.from('2026-10-29T18:00:00Z');
const TOTAL = 23_200;

/** Twenty faults of four kinds. @returns what each finding should be: kind, subject and amount */
export async function doWrong(month: Month): Promise<string[]> {
  const expected: string[] = [];
  for (const [index, account] of WITH_LEDGER.entries()) {
    const usual = partsOf(TOTAL);
    const twice = await sellWrong(month, account, `F-${index}-2`, [
      ...usual,
      ['commission', -3_016],
    ]);
    expected.push(`fee_charged_twice ${twice} 30.16`);
    const lower = usual.map(([kind, cents]): Part => [kind, kind === 'isr' ? -200 : cents]);
    const rate = await sellWrong(month, account, `F-${index}-3`, lower);
    expected.push(`withheld_differs ${rate} -3.00`);
    const sale = { id: null, kind: 'sale', cents: TOTAL, name: `${index}`, at: AT } as const;
    await record(month, account, [{ ...movement(account, sale), isOpen: false }]);
    expected.push(`movement_without_order ${REPORT} sale ${index} 232.00`);
    if (index >= 2) continue;
    const [first] = month.payouts.get(account.marketplace) ?? [];
    if (!first) throw new Error(`${account.marketplace} has no payout`);
    await recordPayouts(month, account, [{ ...first, net: first.net + 101 }]);
    expected.push(`payout_unexplained ${first.id} 1.01`);
  }
  return expected;
}

async function sellWrong(month: Month, account: Account, id: string, parts: readonly Part[]) {
  await month.instance.record([orderOf(account, id, TOTAL, AT, 'delivered')]);
  const rows = parts.map(([kind, cents], name) => ({
    ...movement(account, { id, kind, cents, name: `${name}`, at: AT }),
    isOpen: false,
  }));
  await record(month, account, rows);
  return id;
}

/** The open findings of all accounts: kind, subject and amount. */
export async function found(month: Month): Promise<string[]> {
  for (const account of WITH_LEDGER)
    await inside(month, (scope) => findProblems(scope, account, ZONE));
  const query = { state: 'open', kind: null, marketplace: null, limit: 100, cursor: null } as const;
  const { findings } = await inside(month, (scope) =>
    listFindings(scope, cursorMaker(month.instance.app.exchange.keyring), query),
  );
  return findings.map(
    ({ kind, subject, amount }) => `${kind} ${subject} ${textOf(centsOf(amount))}`,
  );
}
