import { z } from 'zod';
import type { CredentialForm } from '../contract.ts';

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

export const VTEX_FORM: CredentialForm = {
  settings: ['environment'],
  help: 'En el administrador de VTEX ve a la configuración de la cuenta y crea una clave de aplicación.',
  fields: [
    {
      name: 'account',
      label: 'Nombre de la cuenta',
      hint: 'Lo que va antes de .myvtex.com en la dirección de tu administrador, como mitienda.',
    },
    {
      name: 'app_key',
      label: 'Clave de aplicación (App Key)',
      hint: 'Empieza con vtexappkey.',
    },
    {
      name: 'app_token',
      label: 'Token de aplicación (App Token)',
      hint: 'VTEX lo muestra una sola vez, al crear la clave.',
      isSecret: true,
    },
  ],
};
