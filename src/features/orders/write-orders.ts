import { together, type WriteScope } from '../../platform/db/database.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';
import { keepDocuments } from './keep-documents.ts';
import { notifyListeners, type OrderIdentity, type OrderListener } from './order.ts';
import { changeOf, historyOf, type Replacement } from './order-rows.ts';
import { upsertOrders } from './store-content.ts';
import { addHistory } from './store-order-history.ts';

/**
 * The only writer of orders' public content: stores the replacements with their history and their
 * documents and notifies the listeners. The delta clock must be held.
 * @param first the stamp of the first one; each further one has the next microsecond
 */
export async function writeOrders(
  scope: WriteScope,
  first: Instant,
  replacements: readonly Replacement[],
  listeners: readonly OrderListener[],
): Promise<readonly OrderIdentity[]> {
  if (replacements.length === 0) return [];
  const firstMicros = epochMicros(first);
  const changes = replacements.map((replacement, index) =>
    changeOf(replacement, fromEpochMicros(firstMicros + index)),
  );
  // The listeners' first queries are answered while the rows are written, so that their own writes
  // follow without a pause.
  await together([
    notifyListeners(listeners, scope, changes),
    upsertOrders(
      scope,
      changes.map(({ row }) => row),
    ),
    addHistory(scope, changes.flatMap(historyOf)),
    keepDocuments(scope, changes),
  ]);
  return changes.map(({ after }) => after);
}
