import { z } from 'zod';
import type { CredentialForm } from '../../connectors/contract.ts';

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

export const ZIPNOVA_FORM: CredentialForm = {
  help: 'En Zipnova, entra a Configuración > Integraciones y crea tus claves de API.',
  fields: [
    {
      name: 'api_token',
      label: 'API token',
      hint: 'La clave pública.',
    },
    {
      name: 'api_secret',
      label: 'API secret',
      hint: 'La clave secreta; está junto al token.',
      isSecret: true,
    },
    {
      name: 'account_id',
      label: 'Número de cuenta',
      hint: 'Solo si tus claves sirven para varias cuentas.',
      isOptional: true,
    },
  ],
};
