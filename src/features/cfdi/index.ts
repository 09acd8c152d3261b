/**
 * Tax invoices: the documents that marketplaces store for orders, as received, and the CFDI and
 * withholding certificates that were read, by their folio.
 */
export {
  billingDataStates,
  forgetAllBillingData,
  forgetBillingData,
  hasBillingData,
  recordBillingData,
  viewBillingData,
} from './billing-data.ts';
export { certificates } from './certificates.ts';
export { completeOlder, recordCfdis, xmlOf } from './cfdis.ts';
export { type CfdiDescription, decideLink, describeCfdi } from './describe-cfdi.ts';
export { CFDI_DESCRIPTION, writeDescription } from './description-json.ts';
export { type CfdiDocument, KNOWN_CFDI_TYPES, KNOWN_SAT_STATUSES } from './document.ts';
export { CFDI_DOCUMENT, writeCfdiDocument } from './document-fields.ts';
export { heldCfdis } from './held-cfdis.ts';
export { organizationsToSealInvoices, sealInvoices } from './invoice-xml.ts';
export {
  linkDueCfdis,
  linkLateOrders,
  makeOlderCfdisDue,
  organizationsToLook,
} from './late-orders.ts';
export { CFDI_FILTERS, type CfdiFilters, listCfdis } from './list-cfdis.ts';
export {
  DOCUMENT_FILTERS,
  type DocumentQuery,
  listCfdiDocuments,
  listDocumentsOfOrder,
} from './list-documents.ts';
export { LAST_LOOK } from './look-times.ts';
export { CENT, worthsOf } from './named-orders.ts';
export { type FiscalProfile, fiscalProfile, setFiscalProfile } from './profile.ts';
export { organizationsToRead, readInvoices } from './read-invoices.ts';
export { invoicesOfOrder, recordInvoices } from './record-invoices.ts';
export { PERSONS, REGIMES } from './regimes.ts';
export { annotateLateOrders } from './relate-cfdis.ts';
export {
  dueForSat,
  noteSatAnswers,
  organizationsToAsk,
  postponeSatQuestions,
  type SatAnswer,
  type SatQuestion,
} from './sat-status.ts';
export { organizationsWithIncomplete } from './store-cfdis.ts';
export { IS_REPLACED, organizationsWithPendingLinks, SUBSTITUTION } from './store-links.ts';
export {
  IS_NO_TEST,
  PUBLIC_RFC,
  UNINVOICED_KINDS,
  type UninvoicedKind,
  WITHOUT_INVOICE,
  withoutTags,
} from './store-uninvoiced.ts';
export { CFDI_SUMMARY, writeSummary } from './summary.ts';
export {
  listUninvoiced,
  tagsLeftOut,
  UNINVOICED,
  UNINVOICED_FILTERS,
  UNINVOICED_SUM,
  UNINVOICED_TOTAL,
  type UninvoicedOrder,
  type UninvoicedSum,
  uninvoicedSums,
  uninvoicedTotals,
  writeUninvoiced,
  writeUninvoicedSum,
  writeUninvoicedTotal,
} from './uninvoiced.ts';
export { filesOf, isArchive, MOST_UPLOADED_BYTES } from './upload/archive.ts';
export {
  UPLOAD_RETENTIONS as RETENTIONS,
  unread as unreadUploads,
} from './upload/store-uploads.ts';
export { keepUpload, readUpload, type Upload, uploadOf } from './upload/uploads.ts';
export type { Certificate } from './withheld.ts';
export { type DocumentReader, type ReadDocument, reading } from './xml/reading.ts';
export { DocumentRefusal, REFUSAL_REASONS } from './xml/refusal.ts';
export { foliosOf, noteXmlDownload, xmlArchive } from './xml-archive.ts';
