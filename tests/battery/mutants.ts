import type { Mutant } from './mutant.ts';
import { AGENTS } from './mutants/agents.ts';
import { AMAZON } from './mutants/amazon.ts';
import { API_VERSIONS } from './mutants/api-versions.ts';
import { BACKUP } from './mutants/backup.ts';
import { CARRIERS } from './mutants/carriers.ts';
import { CFDI } from './mutants/cfdi.ts';
import { CONTRACT } from './mutants/contract.ts';
import { EDGES } from './mutants/edges.ts';
import { ERASURE } from './mutants/erasure.ts';
import { EXPORTED } from './mutants/exports.ts';
import { FAIRNESS } from './mutants/fairness.ts';
import { FAULTS } from './mutants/faults.ts';
import { FOUNDATION } from './mutants/foundation.ts';
import { GROWTH } from './mutants/growth.ts';
import { LEDGERS } from './mutants/ledger.ts';
import { LISTS } from './mutants/lists.ts';
import { METRICS_MUTANTS } from './mutants/metrics.ts';
import { MIGRATION_MUTANTS } from './mutants/migrations.ts';
import { MONEY } from './mutants/money.ts';
import { OPERATOR } from './mutants/operator.ts';
import { ORDERS } from './mutants/orders.ts';
import { OVERLOADED } from './mutants/overload.ts';
import { PANEL } from './mutants/panel.ts';
import { RECORDING } from './mutants/recording.ts';
import { RERENDERING } from './mutants/rerendering.ts';
import { ROWS } from './mutants/rows.ts';
import { SEALING } from './mutants/sealing.ts';
import { SECURITY_MUTANTS } from './mutants/security.ts';
import { SERVERS } from './mutants/servers.ts';
import { SHEET } from './mutants/sheet.ts';
import { SPANISH } from './mutants/spanish.ts';
import { TABLES } from './mutants/table-homes.ts';
import { TOO_LARGE_ANSWERS } from './mutants/too-large.ts';
import { TRACED } from './mutants/traces.ts';
import { WALMART } from './mutants/walmart.ts';
import { WAREHOUSE } from './mutants/warehouse.ts';
import { WEBHOOKS_OUT } from './mutants/webhooks.ts';

/** Every mutant, by the subject of what it breaks. */
export const MUTANTS: readonly Mutant[] = [
  ...FOUNDATION,
  ...BACKUP,
  ...ROWS,
  ...FAIRNESS,
  ...TABLES,
  ...TOO_LARGE_ANSWERS,
  ...LISTS,
  ...LEDGERS,
  ...RECORDING,
  ...GROWTH,
  ...CONTRACT,
  ...CARRIERS,
  ...METRICS_MUTANTS,
  ...MIGRATION_MUTANTS,
  ...MONEY,
  ...AMAZON,
  ...WALMART,
  ...WEBHOOKS_OUT,
  ...API_VERSIONS,
  ...ORDERS,
  ...PANEL,
  ...WAREHOUSE,
  ...SECURITY_MUTANTS,
  ...EDGES,
  ...OPERATOR,
  ...RERENDERING,
  ...SEALING,
  ...CFDI,
  ...SERVERS,
  ...SHEET,
  ...SPANISH,
  ...EXPORTED,
  ...ERASURE,
  ...AGENTS,
  ...FAULTS,
  ...OVERLOADED,
  ...TRACED,
];
