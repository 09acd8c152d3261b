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

/** Forward only; a released one is never edited. */
export const MIGRATIONS: readonly { readonly name: string; readonly sql: string }[] = [
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
];
