import { z } from 'zod';

/** The credential file of a Walmart México seller: keys of the seller's own, for the market mx. */
export const WalmartCredentials = z.strictObject({
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  /** Asks for the Global Marketplace APIs; which shape Mexico then answers is chosen by content. */
  global_version: z.string().min(1).optional(),
  /** Kept by us; lasts fifteen minutes. */
  access_token: z.string().min(1).optional(),
});
export type WalmartCredentials = z.infer<typeof WalmartCredentials>;
