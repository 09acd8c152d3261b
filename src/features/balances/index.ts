/** What marketplaces hold for the seller, and what they paid out. */
export type { Balance, Settlement } from './balance.ts';
export { PURSE, SETTLEMENT, untoldOf, writePurse, writeSettlement } from './fields.ts';
export { BALANCE_FILTERS, type BalanceQuery, listBalances } from './list-balances.ts';
export { recordBalances } from './record-balances.ts';
export {
  listSettlements,
  recordSettlements,
  type SettlementPage,
  type SettlementQuery,
} from './settlements.ts';
export { RETENTIONS } from './store.ts';
