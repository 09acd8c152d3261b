import { z } from 'zod';
import type { CredentialForm } from '../contract.ts';

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

export const AMAZON_FORM: CredentialForm = {
  help: 'Si tienes una aplicación privada en Seller Central, autorízala y usa sus claves.',
  fields: [
    {
      name: 'selling_partner_id',
      label: 'Merchant Token',
      hint: 'En Seller Central, en la información de la cuenta, dentro del menú Configuración. Empieza con A.',
    },
    {
      name: 'refresh_token',
      label: 'Refresh token',
      hint: 'Seller Central lo muestra al autorizar tu aplicación. Empieza con Atzr|.',
      isSecret: true,
    },
    {
      name: 'client_id',
      label: 'Client ID',
      hint: 'En las credenciales LWA de tu aplicación.',
    },
    {
      name: 'client_secret',
      label: 'Client secret',
      hint: 'Está junto al Client ID.',
      isSecret: true,
    },
  ],
};
