import { mirakl } from '../mirakl/connector.ts';

export const liverpool = mirakl({
  slug: 'liverpool',
  name: 'Liverpool',
  host: 'liverpool-prod.mirakl.net',
});
