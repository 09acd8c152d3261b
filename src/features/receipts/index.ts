/** Receipts: webhooks as received, stored before they are answered. */
export { blankReceipts, countMerged, keepReceipt, settleReceipt } from './receipts.ts';
export { RETENTIONS, webhooksBySlot } from './store.ts';
