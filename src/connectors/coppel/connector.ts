import { mirakl } from '../mirakl/connector.ts';

export const coppel = mirakl({ slug: 'coppel', name: 'Coppel', host: 'coppel.mirakl.net' });
