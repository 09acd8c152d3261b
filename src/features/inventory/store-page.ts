import type { ReadScope } from '../../platform/db/database.ts';
import { type Statement, statement } from '../../platform/db/query.ts';
import type { StockLevel } from './stock.ts';
import { COLUMNS, fromRow, type LevelRow } from './store.ts';

/** All conditions hold together; null is none. */
export interface StockFilters {
  readonly sku: string | null;
  /** Already folded. */
  readonly query: string | null;
  readonly maxAvailable: number | null;
}

/** Where a walk stands: the level that was handed out last. `available` matters only where it is the order. */
export interface StockPosition {
  readonly available: number;
  readonly marketplace: string;
  readonly accountId: string;
  readonly itemId: string;
  readonly variationId: string;
  readonly warehouse: string;
}

export interface StockPageRequest extends StockFilters {
  /** Each is walked apart, in this order. */
  readonly marketplaces: readonly string[];
  readonly warehouses: readonly string[];
  readonly after: StockPosition | null;
  readonly limit: number;
}

type Bind = (value: unknown, type: string) => string;

const BELOW_ALL = { accountId: '', itemId: '', variationId: '', warehouse: '' };
const statements = new Map<string, Statement<LevelRow>>();

/**
 * By identity; with `maxAvailable` by what is left, the least first. Each marketplace and warehouse is an index walk
 * of its own, merged. `query` alone has no index: it is held against level after level until the page is full.
 */
export async function pageOfLevels(scope: ReadScope, request: StockPageRequest): Promise<StockLevel[]> {
  const { text, values } = compose(request);
  const known = statements.get(text) ?? statement<LevelRow>(`inventory.page-${statements.size}`, text);
  statements.set(text, known);
  return (await scope.prepared(known, values)).map(fromRow);
}

/** The query's text depends on which conditions there are, never on their values. */
export function compose(request: StockPageRequest): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  // $1 is the organisation.
  const bind: Bind = (value, type) => `$${values.push(value) + 1}::${type}`;
  const isByAvailable = request.maxAvailable !== null;
  const [first, place] = isByAvailable ? ['s.available, ', 'l.available, w.place'] : ['', 'w.place'];
  // The warehouse is a part of the order and not an equality, so that no other index than the one meant has it.
  const key = `s.warehouse, ${first}s.account_id, s.item_id, s.variation_id`;
  const start = `h.name, ${first}s.account_id, s.item_id, s.variation_id`.replaceAll('s.', 'w.');
  const most = bind(request.limit, 'int');
  const conditions = [...conditionsOf(request, bind), `(${key}, h.name) > (${start}, w.warehouse)`];
  const text = `select ${COLUMNS.replace(/\w+/g, 'l.$&')}
    from ${startsOf(request, bind)}, unnest(${bind(request.warehouses, 'text[]')}) as h (name), lateral (
      select ${COLUMNS} from ${levelsOf(request, bind)} s where ${conditions.join(' and ')}
       order by ${key} limit ${most}) l
    order by ${place}, l.account_id, l.item_id, l.variation_id, l.warehouse limit ${most}`;
  return { text, values };
}

/** A SKU has a few levels, which are found first, so that no plan prefers an index that only has the order. */
function levelsOf({ sku }: StockPageRequest, bind: Bind): string {
  if (sku === null) return 'stock_levels';
  return `(select * from stock_levels
            where organization_id = $1 and gone_at is null and sku = ${bind(sku, 'text')} offset 0)`;
}

function conditionsOf({ query, maxAvailable }: StockPageRequest, bind: Bind): string[] {
  const conditions = [
    's.organization_id = $1',
    's.gone_at is null',
    's.marketplace = w.marketplace',
    's.warehouse <= h.name',
  ];
  if (query !== null) conditions.push(`s.search_text like ${bind(patternOf(query), 'text')}`);
  // The second names the index that has the order; it holds for every level.
  if (maxAvailable !== null) conditions.push(`s.available <= ${bind(maxAvailable, 'bigint')}`);
  else conditions.push(`s.item_id <> ''`);
  return conditions;
}

/** Where each marketplace's walks begin: after the level that was handed out last, in the order of all of them. */
function startsOf({ marketplaces, after, maxAvailable }: StockPageRequest, bind: Bind): string {
  const starts = marketplaces.flatMap((marketplace) => {
    if (after === null) return { ...BELOW_ALL, marketplace, available: Number.MIN_SAFE_INTEGER };
    if (marketplace === after.marketplace) return after;
    const isBehind = marketplace < after.marketplace;
    if (maxAvailable === null && isBehind) return [];
    return { ...BELOW_ALL, marketplace, available: after.available + Number(isBehind) };
  });
  const column = (name: keyof StockPosition, type: string) =>
    bind(
      starts.map((start) => start[name]),
      `${type}[]`,
    );
  return `unnest(${column('marketplace', 'text')}, ${column('available', 'bigint')}, ${column('accountId', 'text')},
      ${column('itemId', 'text')}, ${column('variationId', 'text')}, ${column('warehouse', 'text')})
      with ordinality as w (marketplace, available, account_id, item_id, variation_id, warehouse, place)`;
}

function patternOf(query: string): string {
  return `%${query.replace(/[\\%_]/g, '\\$&')}%`;
}
