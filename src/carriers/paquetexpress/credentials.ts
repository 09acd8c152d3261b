import { z } from 'zod';
import type { CredentialForm } from '../../connectors/contract.ts';
import { isOutward } from '../../platform/network.ts';

/** Only public internet addresses may be typed; the network layer checks the resolved addresses. */
const origin = z
  .url({ protocol: /^https$/, abort: true })
  .refine((address) => isOutward(new URL(address)), {
    error: 'debe ser una dirección https pública, sin puerto',
  })
  .transform((address) => new URL(address).origin)
  .optional();

/**
 * The carrier's credentials for its customer: a user name, and a token that opens sessions. The
 * session itself lives for half a minute and is stored with them.
 */
export const PaquetexpressCredentials = z.strictObject({
  username: z.string().trim().min(1).max(100),
  token: z.string().trim().min(1).max(4_000),
  /** The customer's number, which guides are billed to; absent = the user name. */
  client_id: z.string().trim().min(1).max(40).optional(),
  /** Another address for guides alone, for tests of the carrier or contingencies. */
  guide_url: origin,
  /** The path of the shipments' listing: not in the carrier's documents, so it may differ. */
  list_path: z
    .string()
    .regex(/^\/[\w./-]*$/)
    .optional(),
  session: z.string().min(1).optional(),
});
export type PaquetexpressCredentials = z.infer<typeof PaquetexpressCredentials>;

export const PAQUETEXPRESS_FORM: CredentialForm = {
  settings: ['guide_url', 'list_path'],
  help: 'Son los de los servicios web de Paquetexpress, no los del portal.',
  fields: [
    {
      name: 'username',
      label: 'Usuario',
      hint: 'Como viene en el correo de tu ejecutivo.',
    },
    {
      name: 'token',
      label: 'Token',
      hint: 'Un texto largo.',
      isSecret: true,
    },
    {
      name: 'client_id',
      label: 'Número de cliente',
      hint: 'A quien se facturan las guías. Vacío: el mismo que el usuario.',
      isOptional: true,
    },
  ],
};
