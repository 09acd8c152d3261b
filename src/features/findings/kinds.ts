/** What a finding is about. */
export const FINDING_KINDS = [
  /** An order delivered long ago without money in the ledger. Subject: the order. */
  'order_unpaid',
  /** A payout that its movements do not add up to. Subject: the payout. */
  'payout_unexplained',
  /** A sale of the ledger without an order. Subject: the movement. */
  'movement_without_order',
  /** More equal commissions than sales of one order. Subject: the order. */
  'fee_charged_twice',
  /** The taxes withheld of an order are not those of the dated rate. Subject: the order. */
  'withheld_differs',
  /** An order was refunded completely, and its commission was kept. Subject: the order. */
  'fee_kept_on_refund',
  /** Orders of an ended month without a CFDI. Subject: the month; `2026-09 USD` if not in pesos. */
  'orders_without_cfdi',
  /** The CFDI of orders have another total. Subject: the first order of those that they share. */
  'cfdi_total_differs',
  /** The commission of an order is not the usual one of its listing. Subject: the order. */
  'fee_unusual',
  /** The certificates of a period are not the ledger's taxes. Of the organisation. Subject: the period. */
  'certificate_differs',
  /** The marketplaces' invoices of a month are not their fees. Of the organisation. Subject: the month. */
  'fee_invoices_differ',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** `explained` = a person knows why; `resolved` = it is not so any more. */
export const FINDING_STATES = ['open', 'explained', 'resolved'] as const;
export type FindingState = (typeof FINDING_STATES)[number];
