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
  settings: ['version', 'client_id'],
  help: 'Tiendanube entrega dos datos cuando se instala en tu tienda una aplicación propia: el número de tu tienda y una clave. Los tiene la persona o la agencia que hizo esa aplicación.',
  steps: [
    'Pide a quien hizo la aplicación el número de tienda y la clave de acceso. En Tiendanube se llaman «user_id» y «access_token».',
    'Si la clave se perdió o dejó de servir, pídele que instale otra vez la aplicación en tu tienda: Tiendanube entrega una clave nueva.',
    'Copia aquí los dos datos tal como te los dieron.',
  ],
  fields: [
    {
      name: 'store_id',
      label: 'Número de tienda',
      hint: 'Son solo dígitos, como 1234567.',
    },
    {
      name: 'access_token',
      label: 'Clave de acceso',
      hint: 'Letras y números, sin espacios. Usa la más reciente: cada clave nueva anula la anterior.',
      isSecret: true,
    },
    {
      name: 'client_secret',
      label: 'Clave secreta de la aplicación',
      hint: 'Está en el Portal de Socios de Tiendanube, en los datos de la aplicación («client_secret»). Con ella recibimos tus cambios al momento; sin ella los leemos cada pocos minutos.',
      isSecret: true,
      isOptional: true,
    },
  ],
};
