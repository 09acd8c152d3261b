/** The ledger: every amount that an account of a marketplace gained or lost, as its source lists it. */
export { describePayout } from './describe-payout.ts';
export { EXPLAINED_PAYOUT, writeExplainedPayout } from './fields.ts';
export { type LastPayout, lastPayoutOf, WITH_LAST_PAYOUT } from './last-payout.ts';
export { PAYOUT_LINE, writePayoutLine } from './line-fields.ts';
export { explainedPayouts, type PositionOfLines, payoutLines } from './list-payouts.ts';
export { annotateOrders, organizationsWithPendingOrders, sumsOfOrder } from './order-money.ts';
export { recordLedgers } from './record-ledgers.ts';
export { RETENTIONS } from './store-orders.ts';
