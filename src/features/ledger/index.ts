/** The ledger: every amount that an account of a marketplace gained or lost, as its source lists it. */
export { describePayout } from './describe-payout.ts';
export { type LastPayout, lastPayoutOf, WITH_LAST_PAYOUT } from './last-payout.ts';
export {
  EXPLAINED_PAYOUT,
  explainedPayouts,
  PAYOUT_LINE,
  type PositionOfLines,
  payoutLines,
  writeExplainedPayout,
  writePayoutLine,
} from './list-payouts.ts';
export { annotateOrders, organizationsWithPendingOrders, sumsOfOrder } from './order-money.ts';
export { recordLedgers } from './record-ledgers.ts';
export { RETENTIONS } from './store-orders.ts';
