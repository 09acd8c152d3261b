import type { Marketplace } from '../../../connectors/contract.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { statementsOf } from '../../../platform/db/query.ts';
import type { Line, LineState } from './line.ts';
import { COLUMNS, type LineRow, withOrders } from './store-line-rows.ts';

/** `ready` for its guide, or `lacking` something, among the lines that wait for one. */
export const READINESS = ['ready', 'lacking'] as const;

/** All conditions hold together; an empty list and null = no condition. */
export interface LineFilters {
  readonly state: readonly LineState[];
  readonly marketplace: readonly Marketplace[];
  readonly accountId: string | null;
  /** A scanned number: an order, a pack, a tracking or a guide number, exactly. */
  readonly number: string | null;
  readonly hasGuide: boolean | null;
  /** Whether a person must say what became of its guide. */
  readonly isUnsettled: boolean | null;
  readonly lineIds: readonly string[];
  /** By its rows alone: what the goods lack is not a condition here. */
  readonly readiness: (typeof READINESS)[number] | null;
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
  const { state, marketplace, accountId, number, hasGuide, isUnsettled, ...others } = filters;
  const { lineIds, readiness, ...unread } = others;
  // A filter without a condition does not compile.
  unread satisfies Readonly<Record<string, never>>;
  const values: unknown[] = [];
  const bind = (value: unknown, type: string) => `$${values.push(value) + 1}::${type}`;
  // A line whose orders went to another pack is kept for its record, and is no parcel.
  const conditions = [
    'organization_id = $1',
    `(state <> 'cancelled' or exists (
        select from warehouse_line_orders placed
         where placed.organization_id = $1 and placed.line_id = warehouse_lines.id))`,
  ];
  if (state.length > 0) conditions.push(`state = any(${bind(state, 'text[]')})`);
  if (marketplace.length > 0) conditions.push(`marketplace = any(${bind(marketplace, 'text[]')})`);
  if (accountId !== null) conditions.push(`account_id = ${bind(accountId, 'text')}`);
  if (hasGuide !== null) conditions.push(`tracking_number is ${hasGuide ? 'not null' : 'null'}`);
  if (isUnsettled !== null)
    conditions.push(
      `${isUnsettled ? '' : 'not '}exists (
          select from guide_attempts attempt where attempt.organization_id = $1
             and attempt.line_id = warehouse_lines.id and attempt.state = 'unknown')`,
    );
  if (lineIds.length > 0) conditions.push(`id = any(${bind(lineIds, 'uuid[]')})`);
  if (readiness !== null) conditions.push("state = 'staged' and tracking_number is null");
  if (readiness === 'ready')
    conditions.push(`(destination is not null or destination_box is not null)`);
  if (number !== null) {
    const given = bind(number, 'text');
    conditions.push(
      `(pack_id = ${given} or tracking_number = ${given} or guide_number = ${given} or exists (
          select from warehouse_line_orders placed where placed.organization_id = $1
             and placed.line_id = warehouse_lines.id and placed.order_id = ${given}))`,
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
