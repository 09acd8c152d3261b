import { z } from 'zod';

/**
 * The keys that the seller makes in Configuración > Integraciones; with several accounts, which of
 * them.
 */
export const ZipnovaCredentials = z.strictObject({
  api_token: z.string().trim().min(1),
  api_secret: z.string().trim().min(1),
  account_id: z
    .union([z.string().trim().regex(/^\d+$/), z.int().positive()])
    .transform(String)
    .optional(),
});
export type ZipnovaCredentials = z.infer<typeof ZipnovaCredentials>;
