/**
 * Tax invoices: the documents that marketplaces store for orders, as received, and the known facts
 * of each.
 */
export type { CfdiDocument } from './document.ts';
export { CFDI, writeCfdi } from './fields.ts';
export { CFDI_FILTERS, type CfdiQuery, listCfdis } from './list-cfdis.ts';
export { invoicesOfOrder, recordInvoices } from './record-invoices.ts';
