import * as house from './0001-house.ts';
import * as marketplaces from './0002-marketplaces.ts';
import * as money from './0003-money.ts';
import * as forgotten from './0004-forgotten.ts';
import * as shipments from './0005-shipments.ts';
import * as paquetexpress from './0006-paquetexpress.ts';
import * as warehouse from './0007-warehouse.ts';
import * as people from './0008-people.ts';
import * as agents from './0009-agents.ts';
import * as reading from './0010-reading.ts';
import * as words from './0011-words.ts';
import * as settling from './0012-settling.ts';
import * as trail from './0013-trail.ts';
import * as documents from './0014-documents.ts';
import * as representation from './0015-representation.ts';
import * as access from './0016-access.ts';
import * as fairness from './0017-fairness.ts';
import * as renewals from './0018-renewals.ts';
import * as growth from './0019-growth.ts';
import * as growthIndexes from './0020-growth-indexes.ts';
import * as carriers from './0021-carriers.ts';
import * as carriersIndexes from './0021-carriers-indexes.ts';
import * as rerendering from './0024-rerendering.ts';
import * as sessions from './0025-sessions.ts';
import * as installation from './0026-installation.ts';
import * as sessionTokens from './0027-session-tokens.ts';
import * as forgottenAhead from './0028-forgotten-ahead.ts';
import * as dataKeys from './0029-data-keys.ts';
import * as unsealedIndexes from './0030-unsealed-indexes.ts';
import * as sealedAsides from './0031-sealed-asides.ts';
import * as pageLimit from './0032-page-limit.ts';
import * as tenantTables from './0033-tenant-tables.ts';
import * as webhookEndpoints from './0034-webhook-endpoints.ts';
import * as sealedShipments from './0035-sealed-shipments.ts';
import * as unsealedShipmentsIndexes from './0036-unsealed-shipments-indexes.ts';
import * as eventLog from './0037-event-log.ts';
import * as eventLogIndexes from './0038-event-log-indexes.ts';
import * as cfdis from './0039-cfdis.ts';
import * as unreadInvoicesIndexes from './0040-unread-invoices-indexes.ts';
import * as idempotency from './0041-idempotency.ts';
import * as cfdiUploads from './0042-cfdi-uploads.ts';
import * as orderTerms from './0043-order-terms.ts';
import * as cfdiFacts from './0044-cfdi-facts.ts';
import * as exportsTables from './0045-exports.ts';

/** `sql` is one transaction; indexes, by name, are built one after the other while others write. */
export type Migration =
  | { readonly name: string; readonly sql: string }
  | { readonly name: string; readonly indexes: Readonly<Record<string, string>> };

/** Forward only; a released one is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-house', sql: house.sql },
  { name: '0002-marketplaces', sql: marketplaces.sql },
  { name: '0003-money', sql: money.sql },
  { name: '0004-forgotten', sql: forgotten.sql },
  { name: '0005-shipments', sql: shipments.sql },
  { name: '0006-paquetexpress', sql: paquetexpress.sql },
  { name: '0007-warehouse', sql: warehouse.sql },
  { name: '0008-people', sql: people.sql },
  { name: '0009-agents', sql: agents.sql },
  { name: '0010-reading', sql: reading.sql },
  { name: '0011-words', sql: words.sql },
  { name: '0012-settling', sql: settling.sql },
  { name: '0013-trail', sql: trail.sql },
  { name: '0014-documents', sql: documents.sql },
  { name: '0015-representation', sql: representation.sql },
  { name: '0016-access', sql: access.sql },
  { name: '0017-fairness', sql: fairness.sql },
  { name: '0018-renewals', sql: renewals.sql },
  { name: '0019-growth', sql: growth.sql },
  { name: '0020-growth-indexes', indexes: growthIndexes.indexes },
  { name: '0021-carriers', sql: carriers.sql },
  { name: '0021-carriers-indexes', indexes: carriersIndexes.indexes },
  { name: '0024-rerendering', sql: rerendering.sql },
  { name: '0025-sessions', sql: sessions.sql },
  { name: '0026-installation', sql: installation.sql },
  { name: '0027-session-tokens', sql: sessionTokens.sql },
  { name: '0028-forgotten-ahead', sql: forgottenAhead.sql },
  { name: '0029-data-keys', sql: dataKeys.sql },
  { name: '0030-unsealed-indexes', indexes: unsealedIndexes.indexes },
  { name: '0031-sealed-asides', sql: sealedAsides.sql },
  { name: '0032-page-limit', sql: pageLimit.sql },
  { name: '0033-tenant-tables', sql: tenantTables.sql },
  { name: '0034-webhook-endpoints', sql: webhookEndpoints.sql },
  { name: '0035-sealed-shipments', sql: sealedShipments.sql },
  { name: '0036-unsealed-shipments-indexes', indexes: unsealedShipmentsIndexes.indexes },
  { name: '0037-event-log', sql: eventLog.sql },
  { name: '0038-event-log-indexes', indexes: eventLogIndexes.indexes },
  { name: '0039-cfdis', sql: cfdis.sql },
  { name: '0040-unread-invoices-indexes', indexes: unreadInvoicesIndexes.indexes },
  { name: '0041-idempotency', sql: idempotency.sql },
  { name: '0042-cfdi-uploads', sql: cfdiUploads.sql },
  { name: '0043-order-terms', sql: orderTerms.sql },
  { name: '0044-cfdi-facts', sql: cfdiFacts.sql },
  { name: '0045-exports', sql: exportsTables.sql },
];
