/** Stock: what each marketplace says there is of each item, and how it moved. */
export {
  listStock,
  type StockMovement,
  type StockPage,
  type StockQuery,
  stockHistory,
} from './list-stock.ts';
export { forgetMovements, markGone, recordStock, type Sighting } from './record-stock.ts';
export { presentStock, type StockLevel } from './stock.ts';
