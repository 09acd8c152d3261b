/** Tax invoices: the documents that marketplaces keep for orders, as received, and what is known of each. */
export { CFDI_STATUSES, CFDI_TYPES, type CfdiDocument } from './document.ts';
export { CFDI, writeCfdi } from './fields.ts';
export { CFDI_FILTERS, type CfdiPage, type CfdiQuery, listCfdis } from './list-cfdis.ts';
export { type InvoiceDocument, invoicesOfOrder, recordInvoices } from './record-invoices.ts';
