import { z } from 'zod';

/** The credential file of a Mercado Libre account. Without a refresh token it lasts six hours. */
export const MercadoLibreCredentials = z.strictObject({
  user_id: z.union([z.string().regex(/^\d+$/), z.int().positive()]).transform(String),
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  client_id: z.union([z.string().min(1), z.int().positive().transform(String)]).optional(),
  client_secret: z.string().min(1).optional(),
});
export type MercadoLibreCredentials = z.infer<typeof MercadoLibreCredentials>;
