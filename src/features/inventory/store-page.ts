import type { ReadScope } from '../../platform/db/database.ts';
import { statementsOf } from '../../platform/db/query.ts';
import type { StockLevel } from './stock.ts';
import { COLUMNS, fromRow, type LevelRow } from './store.ts';

/** All conditions hold together; null = no condition. */
interface StockFilters {
  readonly sku: string | null;
  /** Already folded. */
  readonly query: string | null;
  readonly maxAvailable: number | null;
}

/**
 * The position of a walk: the level that was returned last. `available` matters only where it is
 * the order.
 */
export interface StockPosition {
  readonly available: number;
  readonly marketplace: string;
  readonly accountId: string;
  readonly itemId: string;
  readonly variationId: string;
  readonly warehouse: string;
}

interface StockPageRequest extends StockFilters {
  /** Each is walked separately, in this order. */
  readonly marketplaces: readonly string[];
  readonly warehouses: readonly string[];
  readonly after: StockPosition | null;
  readonly limit: number;
}

type Bind = (value: unknown, type: string) => string;

const BELOW_ALL = { accountId: '', itemId: '', variationId: '', warehouse: '' };
/** The index of words holds runs of three. */
const IN_INDEX = /[a-z0-9]{3}/;
/** A filter that matches more levels is walked; sorting them all would take longer. */
const MOST_SORTED = 50_000;
const statementFor = statementsOf<LevelRow>('inventory.page');

/**
 * By identity; with `maxAvailable` by quantity, the least first. Each marketplace and warehouse is
 * an index walk of its own, merged. Levels that match a SKU, or rare words, are found first and
 * then sorted.
 */
export async function pageOfLevels(
  scope: ReadScope,
  request: StockPageRequest,
): Promise<StockLevel[]> {
  const { text, values } = compose(request);
  return (await scope.prepared(statementFor(text), values)).map(fromRow);
}

/** The query's text depends on which conditions there are, never on their values. */
function compose(request: StockPageRequest): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  // $1 is the organisation.
  const bind: Bind = (value, type) => `$${values.push(value) + 1}::${type}`;
  return { text: textOf(request, bind), values };
}

function textOf(request: StockPageRequest, bind: Bind): string {
  const { sku, query } = request;
  if (sku !== null)
    return `with few as materialized (${withSku(sku, bind)}) ${sorted(request, 'true', bind)}`;
  if (query === null || !IN_INDEX.test(query)) return walked(request, 'true', bind);
  const words = `select * from stock_levels_with($1, ${pattern(query, bind)}, ${MOST_SORTED})`;
  const areFew = `(select count(*) from few) < ${MOST_SORTED}`;
  return `with few as materialized (${words})
    (${sorted(request, areFew, bind)}) union all (${walked(request, `not ${areFew}`, bind)})`;
}

function withSku(sku: string, bind: Bind): string {
  return `select * from stock_levels where organization_id = $1 and gone_at is null and sku = ${bind(sku, 'text')}`;
}

/** A page of `few`. */
function sorted(request: StockPageRequest, condition: string, bind: Bind): string {
  const { query, maxAvailable, after } = request;
  const marketplaces = bind(request.marketplaces, 'text[]');
  const conditions = [
    condition,
    `marketplace = any(${marketplaces})`,
    `warehouse = any(${bind(request.warehouses, 'text[]')})`,
  ];
  if (query !== null) conditions.push(`search_text like ${pattern(query, bind)}`);
  if (maxAvailable !== null) conditions.push(`available <= ${bind(maxAvailable, 'bigint')}`);
  const available = maxAvailable === null ? '' : 'available, ';
  const key = `${available}array_position(${marketplaces}, marketplace), account_id, item_id, variation_id, warehouse`;
  if (after)
    conditions.push(`(${key}) > (${positionOf(after, marketplaces, available !== '', bind)})`);
  return `select ${COLUMNS} from few where ${conditions.join(' and ')}
    order by ${key} limit ${bind(request.limit, 'int')}`;
}

function positionOf(
  after: StockPosition,
  marketplaces: string,
  byAvailable: boolean,
  bind: Bind,
): string {
  const available = byAvailable ? `${bind(after.available, 'bigint')}, ` : '';
  const rest = [after.accountId, after.itemId, after.variationId, after.warehouse];
  return `${available}array_position(${marketplaces}, ${bind(after.marketplace, 'text')}),
    ${rest.map((value) => bind(value, 'text')).join(', ')}`;
}

function walked(request: StockPageRequest, condition: string, bind: Bind): string {
  const isByAvailable = request.maxAvailable !== null;
  const [first, place] = isByAvailable
    ? ['s.available, ', 'l.available, w.place']
    : ['', 'w.place'];
  // The warehouse is a part of the order and not an equality, so that no other index than the one
  // meant has it.
  const key = `s.warehouse, ${first}s.account_id, s.item_id, s.variation_id`;
  const start = `h.name, ${first}s.account_id, s.item_id, s.variation_id`.replaceAll('s.', 'w.');
  const most = bind(request.limit, 'int');
  const conditions = [...conditionsOf(request, bind), `(${key}, h.name) > (${start}, w.warehouse)`];
  return `select ${COLUMNS.replace(/\w+/g, 'l.$&')}
    from ${startsOf(request, bind)}, unnest(${bind(request.warehouses, 'text[]')}) as h (name), lateral (
      select ${COLUMNS} from stock_levels s where ${conditions.join(' and ')}
       order by ${key} limit ${most}) l
    where ${condition}
    order by ${place}, l.account_id, l.item_id, l.variation_id, l.warehouse limit ${most}`;
}

function conditionsOf({ query, maxAvailable }: StockPageRequest, bind: Bind): string[] {
  const conditions = [
    's.organization_id = $1',
    's.gone_at is null',
    's.marketplace = w.marketplace',
    's.warehouse <= h.name',
  ];
  if (query !== null) conditions.push(`s.search_text like ${pattern(query, bind)}`);
  // The second condition selects the index that has the order; it holds for every level.
  if (maxAvailable !== null) conditions.push(`s.available <= ${bind(maxAvailable, 'bigint')}`);
  else conditions.push(`s.item_id <> ''`);
  return conditions;
}

/**
 * Where each marketplace's walks begin: after the level that was returned last, in the order of all
 * of them.
 */
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

function pattern(query: string, bind: Bind): string {
  return bind(`%${query.replace(/[\\%_]/g, '\\$&')}%`, 'text');
}
