/** Receipts: what others pushed to us, kept before it is answered. */
export { blankReceipts, countMerged, keepReceipt, settleReceipt } from './receipts.ts';
export { RETENTIONS } from './store.ts';
