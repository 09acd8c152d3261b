import type { ApiVersion } from '../contract.ts';
import type { TiktokShopCredentials } from './credentials.ts';

const DOCUMENTS = 'https://partner.tiktokshop.com/docv2';

export const versions: readonly ApiVersion<TiktokShopCredentials>[] = [
  { api: 'TikTok Shop Open API', version: '202309', endsOn: null, source: DOCUMENTS },
  { api: 'Authorization API', version: 'v2', endsOn: null, source: DOCUMENTS },
];
