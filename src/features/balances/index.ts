/** The sellers' balances at marketplaces, and their payouts. */
export type { Balance } from './balance.ts';
export { PURSE, untoldOf, writePurse, writeSettlement } from './fields.ts';
export { BALANCE_FILTERS, type BalanceQuery, listBalances } from './list-balances.ts';
export { recordBalances } from './record-balances.ts';
export { listSettlements, recordSettlements, type SettlementQuery } from './settlements.ts';
export { RETENTIONS } from './store.ts';
