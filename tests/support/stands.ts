import type { Stand } from './stand.ts';
import { mercadoLibre } from './stand-mercado-libre.ts';

/** The marketplaces that the shared suite of connectors is run against, one line each. */
export const STANDS: readonly Stand[] = [mercadoLibre];
