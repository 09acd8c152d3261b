/**
 * Amazon, Shopify and TikTok Shop get a ledger: their settlements are read again from the beginning
 * of their history.
 */
export const sql = `
update streams set watermark = null
 where stream = 'settlements' and connection_id in (
   select id from connections where service in ('amazon', 'shopify', 'tiktok_shop'));
`;
