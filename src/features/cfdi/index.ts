/** Tax invoices: the documents that marketplaces keep for orders, as received. */
export { type InvoiceDocument, invoicesOfOrder, recordInvoices } from './record-invoices.ts';
