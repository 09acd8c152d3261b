/** The sellers' balances at marketplaces, and their payouts. */
export type { Balance, Settlement } from './balance.ts';
export {
  isCarrierPurse,
  missingFieldsOf,
  PURSE,
  SETTLEMENT,
  writePurse,
  writeSettlement,
} from './fields.ts';
export { setFloor, subjectOf } from './floors.ts';
export { BALANCE_FILTERS, type BalanceQuery, listBalances } from './list-balances.ts';
export { recordBalances } from './record-balances.ts';
export { recordSettlements } from './record-settlements.ts';
export {
  listSettlements,
  SETTLEMENT_FILTERS,
  type SettlementQuery,
} from './settlements.ts';
export { RETENTIONS } from './store.ts';
export { listFloors } from './store-floors.ts';
export { prepaidHistory } from './store-history.ts';
export { latestPayout, settlementOf } from './store-settlements.ts';
export { balanceTotals } from './store-totals.ts';
