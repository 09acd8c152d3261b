/** Stock: the level of each item at each marketplace, and its history. */

export { LEVEL, writeLevel } from './fields.ts';
export { listStock, STOCK_FILTERS, type StockQuery, stockHistory } from './list-stock.ts';
export { markGone, recordStock } from './record-stock.ts';
export { hasWords, levelsOfSkus, listSkus } from './skus.ts';
export type { StockLevel } from './stock.ts';
export { RETENTIONS } from './store.ts';
