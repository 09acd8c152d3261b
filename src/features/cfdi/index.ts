/**
 * Tax invoices: the documents that marketplaces keep for orders, as received, and what is known of
 * each.
 */
export type { CfdiDocument } from './document.ts';
export { CFDI, writeCfdi } from './fields.ts';
export { CFDI_FILTERS, type CfdiQuery, listCfdis } from './list-cfdis.ts';
export { invoicesOfOrder, recordInvoices } from './record-invoices.ts';
