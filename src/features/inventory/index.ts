/** Stock: what each marketplace says there is of each item, and how it moved. */

export { LEVEL, writeLevel } from './fields.ts';
export {
  listStock,
  STOCK_FILTERS,
  type StockMovement,
  type StockPage,
  type StockQuery,
  stockHistory,
} from './list-stock.ts';
export { markGone, recordStock, type Sighting } from './record-stock.ts';
export { type StockLevel, WAREHOUSES, type Warehouse } from './stock.ts';
export { RETENTIONS } from './store.ts';
