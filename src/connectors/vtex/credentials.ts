import { z } from 'zod';

const key = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]+$/);

/** The credential file of a VTEX account: an application key with its token, which do not end. */
export const VtexCredentials = z.strictObject({
  account: z.string().regex(/^[a-z0-9-]+$/),
  app_key: key,
  app_token: key,
  /** The first part of VTEX's own host. */
  environment: z
    .string()
    .regex(/^vtexcommerce[a-z]+$/)
    .default('vtexcommercestable'),
});
export type VtexCredentials = z.infer<typeof VtexCredentials>;
