import type { ApiVersion } from '../contract.ts';
import type { MercadoLibreCredentials } from './credentials.ts';

export const versions: readonly ApiVersion<MercadoLibreCredentials>[] = [
  {
    api: 'Mercado Libre API',
    version: null,
    endsOn: null,
    source: 'https://developers.mercadolibre.com.mx/',
  },
  {
    api: 'Mercado Pago API',
    version: 'v1',
    endsOn: null,
    source: 'https://www.mercadopago.com.mx/developers',
  },
];
