import { z } from 'zod';

/**
 * The credential file of an Amazon seller. Seller Central shows the refresh token of a private
 * application.
 */
export const AmazonCredentials = z.strictObject({
  selling_partner_id: z.string().regex(/^\w+$/),
  refresh_token: z.string().min(1),
  /** Lives an hour; requested when needed. */
  access_token: z.string().min(1).optional(),
  client_id: z.string().min(1).optional(),
  client_secret: z.string().min(1).optional(),
});
export type AmazonCredentials = z.infer<typeof AmazonCredentials>;
