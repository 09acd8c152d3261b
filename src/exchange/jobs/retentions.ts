import { RETENTIONS as OF_ALERTS } from '../../features/alerts/index.ts';
import { RETENTIONS as OF_BALANCES } from '../../features/balances/index.ts';
import { RETENTIONS as OF_CFDI } from '../../features/cfdi/index.ts';
import { RETENTIONS as OF_CONNECTIONS } from '../../features/connections/index.ts';
import { RETENTIONS as OF_EXPORTS } from '../../features/exports/index.ts';
import { RETENTIONS as OF_FINDINGS } from '../../features/findings/index.ts';
import { RETENTIONS as OF_GRANTS } from '../../features/grants/index.ts';
import { RETENTIONS as OF_REQUESTS } from '../../features/idempotency/index.ts';
import { RETENTIONS as OF_INVENTORY } from '../../features/inventory/index.ts';
import { RETENTIONS as OF_LEDGER } from '../../features/ledger/index.ts';
import { documentRetention } from '../../features/orders/index.ts';
import { RETENTIONS as OF_ACCOUNTS } from '../../features/people/index.ts';
import { RETENTIONS as OF_QUOTA } from '../../features/quota/index.ts';
import { RETENTIONS as OF_RECEIPTS } from '../../features/receipts/index.ts';
import { RETENTIONS as OF_REMOVALS } from '../../features/removals/index.ts';
import { RETENTIONS as OF_SHIPMENTS } from '../../features/shipments/index.ts';
import { RETENTIONS as OF_TRAIL } from '../../features/trail/index.ts';
import { RETENTIONS as OF_WAREHOUSE } from '../../features/warehouse/index.ts';
import { RETENTIONS as OF_EVENTS } from '../../features/webhooks-out/index.ts';
import type { Retention } from '../../platform/db/retention.ts';
import type { ExchangeParts } from '../parts.ts';

/** How long rows of each table are kept that would grow without end. */
export function retentionsOf({
  documentsDays,
}: Pick<ExchangeParts, 'documentsDays'>): readonly Retention[] {
  return [
    ...OF_ACCOUNTS,
    ...OF_ALERTS,
    ...OF_BALANCES,
    ...OF_CFDI,
    ...OF_CONNECTIONS,
    ...OF_EVENTS,
    ...OF_EXPORTS,
    ...OF_GRANTS,
    ...OF_INVENTORY,
    ...OF_FINDINGS,
    ...OF_LEDGER,
    ...OF_QUOTA,
    ...OF_RECEIPTS,
    ...OF_REMOVALS,
    ...OF_REQUESTS,
    ...OF_SHIPMENTS,
    ...OF_TRAIL,
    ...OF_WAREHOUSE,
    documentRetention(documentsDays),
  ];
}
