import type { ReadScope } from '../../platform/db/database.ts';
import { statementsOf } from '../../platform/db/query.ts';
import type { Line } from './line.ts';
import { COLUMNS, type LineRow, withOrders } from './store-line-rows.ts';

/** All conditions hold together; an empty list and null = no condition. */
interface LineFilters {
  readonly state: readonly string[];
  readonly marketplace: readonly string[];
  readonly accountId: string | null;
  /** An order, a pack, a tracking or a guide number, exactly. */
  readonly number: string | null;
  readonly hasGuide: boolean | null;
  /** Whether an attempt at a guide has no known outcome. */
  readonly isUnsettled: boolean | null;
}

/** When it was staged and its id. */
export type LinePosition = readonly [string, string];

const statementFor = statementsOf<LineRow>('warehouse-lines.page');

/** Longest waiting first. */
export async function pageOfLines(
  scope: ReadScope,
  filters: LineFilters,
  after: LinePosition | null,
  limit: number,
): Promise<Line[]> {
  const values: unknown[] = [];
  const bind = (value: unknown, type: string) => `$${values.push(value) + 1}::${type}`;
  const conditions = ['organization_id = $1'];
  if (filters.state.length > 0) conditions.push(`state = any(${bind(filters.state, 'text[]')})`);
  if (filters.marketplace.length > 0)
    conditions.push(`marketplace = any(${bind(filters.marketplace, 'text[]')})`);
  if (filters.accountId !== null)
    conditions.push(`account_id = ${bind(filters.accountId, 'text')}`);
  if (filters.hasGuide !== null)
    conditions.push(`tracking_number is ${filters.hasGuide ? 'not null' : 'null'}`);
  if (filters.isUnsettled !== null)
    conditions.push(
      `${filters.isUnsettled ? '' : 'not '}exists (
          select from guide_attempts attempt where attempt.organization_id = $1
             and attempt.line_id = warehouse_lines.id and attempt.state = 'unknown')`,
    );
  if (filters.number !== null) {
    const number = bind(filters.number, 'text');
    conditions.push(
      `(pack_id = ${number} or tracking_number = ${number} or guide_number = ${number} or exists (
          select from warehouse_line_orders placed where placed.organization_id = $1
             and placed.line_id = warehouse_lines.id and placed.order_id = ${number}))`,
    );
  }
  if (after)
    conditions.push(
      `(staged_at, id) > (${bind(after[0], 'timestamptz')}, ${bind(after[1], 'uuid')})`,
    );
  const text = `select ${COLUMNS} from warehouse_lines where ${conditions.join(' and ')}
    order by staged_at, id limit ${bind(limit, 'int')}`;
  return withOrders(scope, await scope.prepared(statementFor(text), values));
}
