import { z } from 'zod';

/** Checked before any call: the shop's name becomes a host that gets our secrets. */
export const SHOP = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;

/**
 * The credential file of a Shopify store: an expiring token with its refresh token, an older
 * `shpat_` token that does not expire, or the client of an application of the store's own, which
 * requests its tokens itself.
 */
export const ShopifyCredentials = z
  .strictObject({
    shop: z.string().toLowerCase().regex(SHOP),
    access_token: z.string().min(1).optional(),
    refresh_token: z.string().min(1).optional(),
    client_id: z.string().min(1).optional(),
    client_secret: z.string().min(1).optional(),
  })
  .refine(
    ({ access_token, client_id, client_secret }) => access_token || (client_id && client_secret),
    {
      path: ['access_token'],
    },
  );
export type ShopifyCredentials = z.infer<typeof ShopifyCredentials>;
