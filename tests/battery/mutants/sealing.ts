import type { Mutant } from '../mutant.ts';

const file = 'tests/sealed-documents.test.ts';
const SHIPMENTS = 'tests/sealed-shipments.test.ts';
const ADDRESSES = 'tests/sealed-addresses.test.ts';
const WAREHOUSE = 'tests/warehouse.test.ts';
const INVOICES = 'tests/sealed-invoices.test.ts';
const HOUSEKEEPING = 'tests/housekeeping.test.ts';

/** Of what is kept of buyers. */
export const SEALING: readonly Mutant[] = [
  {
    patch: 'overrides-in-clear',
    breaks: 'the tax id that an operator gives for a batch of guides is stored in clear',
    file: 'tests/sealed-addresses.test.ts',
    test: 'a dump of the database shows no address of a line',
    says: /COSC8001137NA/,
  },
  {
    patch: 'documents-in-clear',
    breaks: 'documents of orders are compressed and not sealed',
    file,
    test: 'a dump of the database shows no address',
    says: /public\.order_documents: /,
  },
  {
    patch: 'bundles-open-anywhere',
    breaks: 'a bundle opens in whatever row of its organisation it stands',
    file,
    test: 'a bundle opens for no other',
    says: /Missing expected rejection/,
  },
  {
    patch: 'older-documents-in-clear',
    breaks: 'one organisation whose documents cannot be sealed keeps the others waiting',
    file,
    test: 'documents that a former version kept are sealed by the housekeeping',
    says: /count: 25/,
  },
  {
    patch: 'data-keys-not-rotated',
    breaks: 'rotate-secrets leaves the data keys to the former master key',
    file,
    test: 'rotate-secrets seals the keys again',
    says: /resealed: 0/,
  },
  {
    patch: 'data-key-before-commit',
    breaks: 'a process seals with a key that was never committed',
    file,
    test: 'a key that a write made goes with it',
    says: /data key of the box is not at hand/,
  },
  {
    patch: 'asides-in-clear',
    breaks: 'what could not be read is kept in clear',
    file,
    test: 'what could not be read is sealed',
    says: /public\.unreadable_items: /,
  },
  {
    patch: 'forgotten-set-aside',
    breaks: 'an order of a forgotten buyer that cannot be read is kept with its document',
    file,
    test: 'of an order that arrives unreadable no document is kept',
    says: /Expected values to be strictly equal/,
  },
  {
    patch: 'lost-documents-not-forgotten',
    breaks: 'a buyer whose documents do not open cannot be forgotten',
    file,
    test: 'where the master key is lost',
    says: /data key of the box is not at hand/,
  },
  {
    patch: 'shipment-documents-in-clear',
    breaks: 'documents of carriers are stored in clear',
    file: SHIPMENTS,
    test: 'a dump of the database shows nothing of carriers’ documents',
    says: /public\.shipments: /,
  },
  {
    patch: 'shipment-documents-open-anywhere',
    breaks: 'the document of a shipment opens in whatever row of its organisation it stands',
    file: SHIPMENTS,
    test: 'the document of a shipment opens for no other',
    says: /Expected values to be strictly deep-equal/,
  },
  {
    patch: 'older-shipments-in-clear',
    breaks: 'documents of carriers that a former version kept stay in clear',
    file: SHIPMENTS,
    test: 'what a former version kept is sealed by the housekeeping',
    says: /left: 90/,
  },
  {
    patch: 'receivers-in-clear',
    breaks: 'who receives a parcel is stored in clear beside the box',
    file: SHIPMENTS,
    test: 'a dump of the database shows nothing of carriers’ documents',
    says: /public\.paquetexpress_shipments: /,
  },
  {
    patch: 'names-of-parcels-stay',
    breaks: 'names that a former version stored with parcels stay',
    file: SHIPMENTS,
    test: 'who receives a parcel, as a former version stored it',
    says: /public\.shipments: /,
  },
  {
    patch: 'addresses-in-clear',
    breaks: 'the address of a line is stored in clear beside the box',
    file: ADDRESSES,
    test: 'a dump of the database shows no address of a line',
    says: /public\.warehouse_lines: /,
  },
  {
    patch: 'requests-in-clear',
    breaks: 'the request for a guide is stored in clear beside the box',
    file: ADDRESSES,
    test: 'a dump of the database shows no address of a line',
    says: /public\.guide_attempts: /,
  },
  {
    patch: 'labels-in-clear',
    breaks: 'a label is stored in clear beside the box',
    file: ADDRESSES,
    test: 'a dump of the database shows no address of a line',
    says: /public\.guide_attempts: /,
  },
  {
    patch: 'labels-open-as-another',
    breaks: 'the boxes of one attempt can take each other’s place',
    file: ADDRESSES,
    test: 'an address opens for no other line',
    says: /Expected values to be strictly deep-equal/,
  },
  {
    patch: 'older-addresses-in-clear',
    breaks: 'requests and labels that a former version stored stay in clear',
    file: ADDRESSES,
    test: 'what a former version stored in clear is read',
    says: /requests: 60/,
  },
  {
    patch: 'sealed-labels-stay',
    breaks: 'sealed labels outlive their ninety days',
    file: HOUSEKEEPING,
    test: 'labels of guide_attempts, sealed',
    says: /Expected values to be strictly/,
  },
  {
    patch: 'sealed-copies-not-forgotten',
    breaks: 'sealed labels and requests outlive their buyer',
    file: WAREHOUSE,
    test: 'where a parcel goes is forgotten with its buyer',
    says: /Expected values to be strictly deep-equal/,
  },
  {
    patch: 'same-shipment-written-again',
    breaks: 'a reading of a parcel that says the same is written again',
    file: SHIPMENTS,
    test: 'a reading that says the same writes nothing',
    says: /xmin/,
  },
  {
    patch: 'invoices-in-clear',
    breaks: 'the XML that a marketplace gave is stored in clear',
    file: INVOICES,
    test: 'a dump of the database shows nothing of the XML',
    says: /public\.invoice_documents: /,
  },
  {
    patch: 'lost-invoice-stays-lost',
    breaks: 'an XML that cannot be decrypted is never read again',
    file: INVOICES,
    test: 'an XML opens for no other document',
    says: /0 !== 2/,
  },
  {
    patch: 'older-invoices-in-clear',
    breaks: 'the XML that a former version stored stays in clear',
    file: INVOICES,
    test: 'the XML that a former version stored in clear',
    says: /clear: 50/,
  },
];
