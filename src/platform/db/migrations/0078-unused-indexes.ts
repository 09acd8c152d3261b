/**
 * No statement reads by them: CFDI that were read are listed from `cfdis`, the queue knows which
 * webhooks wait, and documents to be read also have a sealed XML (`invoice_documents_sealed_unread`).
 */
export const sql = `
drop index invoice_documents_newest;
drop index invoice_documents_by_kind;
drop index invoice_documents_by_issuer;
drop index invoice_documents_by_receiver;
drop index invoice_documents_unread;
drop index receipts_waiting;
`;
