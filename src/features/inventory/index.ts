/** Stock: what each marketplace says there is of each item. */
export { recordStock } from './record-stock.ts';
