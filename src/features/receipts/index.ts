/** Receipts: what others pushed to us, kept before it is answered. */
export { blankReceipts, forgetReceipts, keepReceipt, settleReceipt } from './receipts.ts';
