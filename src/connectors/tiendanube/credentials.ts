import { z } from 'zod';

/**
 * The credential file of a store. Its token does not end; a newer one, or uninstalling, kills it.
 */
export const TiendanubeCredentials = z.strictObject({
  store_id: z.union([z.string().regex(/^\d+$/), z.int().positive()]).transform(String),
  access_token: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/),
  /** Of the API, as its paths name it. */
  version: z
    .string()
    .regex(/^(v1|\d{4}-\d{2})$/)
    .default('v1'),
  /**
   * The application that the token was given to, where it is not ours; its secret signs its pushes.
   */
  client_id: z.union([z.string().regex(/^\w+$/), z.int().positive().transform(String)]).optional(),
  client_secret: z.string().min(1).optional(),
});
export type TiendanubeCredentials = z.infer<typeof TiendanubeCredentials>;
