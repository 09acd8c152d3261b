/** What marketplaces hold for the seller, and what they paid out. */
export type { Balance, Settlement } from './balance.ts';
export { BALANCE_FILTERS, type BalanceQuery, listBalances } from './list-balances.ts';
export { presentBalance, presentPurse, untoldOf } from './present.ts';
export { recordBalances } from './record-balances.ts';
export {
  listSettlements,
  recordSettlements,
  type SettlementPage,
  type SettlementQuery,
} from './settlements.ts';
export { RETENTIONS } from './store.ts';
