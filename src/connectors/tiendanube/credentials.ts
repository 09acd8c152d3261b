import { z } from 'zod';

/**
 * The credential file of a store. Its token does not expire; a newer one, or uninstalling, revokes
 * it.
 */
export const TiendanubeCredentials = z.strictObject({
  store_id: z.union([z.string().regex(/^\d+$/), z.int().positive()]).transform(String),
  access_token: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/),
  /** The version of the API, as in its paths. */
  version: z
    .string()
    .regex(/^(v1|\d{4}-\d{2})$/)
    .default('v1'),
  /** The application of the token, where it is not ours; its secret signs its webhooks. */
  client_id: z.union([z.string().regex(/^\w+$/), z.int().positive().transform(String)]).optional(),
  client_secret: z.string().min(1).optional(),
});
export type TiendanubeCredentials = z.infer<typeof TiendanubeCredentials>;
