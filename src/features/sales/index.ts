/** Sales: daily sums of orders, updated with them in one transaction, and their totals. */
export { DAY_OF_SALES, everyDayOfSales, writeDayOfSales } from './every-day.ts';
export type { Figures, SalesGroup } from './figures.ts';
export { recountSales, recountWaiting } from './recount-sales.ts';
export {
  GROUP_BY,
  type GroupBy,
  SALES_FILTERS,
  type SalesQuery,
  salesSummary,
} from './sales-summary.ts';
export { sumSales } from './sum-sales.ts';
export { BOOKS_TIMEZONE } from './sums.ts';
