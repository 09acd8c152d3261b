import { z } from 'zod';

/**
 * Only addresses on the public internet may be typed; the network's own rule looks where they lead.
 */
const origin = z
  .url({ protocol: /^https$/ })
  .transform((address) => new URL(address).origin)
  .optional();

/**
 * What the carrier hands to its customer: a user name, and a token with which sessions are opened.
 * The session itself lives for half a minute and is kept beside them.
 */
export const PaquetexpressCredentials = z.strictObject({
  username: z.string().trim().min(1).max(100),
  token: z.string().trim().min(1).max(4_000),
  /** The customer's number, which guides are billed to; absent = the user name. */
  client_id: z.string().trim().min(1).max(40).optional(),
  /** Another address for guides alone, for tests of the carrier or contingencies. */
  guide_url: origin,
  /** Where shipments are listed: not in the carrier's documents, so it may differ. */
  list_path: z
    .string()
    .regex(/^\/[\w./-]*$/)
    .optional(),
  session: z.string().min(1).optional(),
});
export type PaquetexpressCredentials = z.infer<typeof PaquetexpressCredentials>;
