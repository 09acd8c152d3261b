import { z } from 'zod';
import type { CredentialForm } from '../contract.ts';

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

export const TIENDANUBE_FORM: CredentialForm = {
  help: 'Usa el token de la aplicación propia de tu tienda en Tiendanube. Lo tiene quien la instaló; si se perdió o dejó de servir, instálala otra vez para obtener uno nuevo.',
  fields: [
    {
      name: 'store_id',
      label: 'Número de tienda',
      hint: 'Solo dígitos; llega junto con el token.',
    },
    {
      name: 'access_token',
      label: 'Token de acceso',
      hint: 'El de la instalación más reciente: uno nuevo anula al anterior.',
      isSecret: true,
    },
    {
      name: 'client_secret',
      label: 'Secreto de la aplicación',
      hint: 'Con él comprobamos que los webhooks vienen de tu tienda.',
      isSecret: true,
      isOptional: true,
    },
  ],
};
