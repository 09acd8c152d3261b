import { z } from 'zod';
import type { CredentialForm } from '../contract.ts';

/** Of the Global Marketplace APIs. */
const GLOBAL_VERSION = '3.1';

/** The credential file of a Walmart México seller: keys of the seller's own, for the market mx. */
export const WalmartCredentials = z.strictObject({
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  /**
   * Which version of the Global APIs is asked for; null asks for the older Mexican documents, as
   * keys do that were stored without it. Which shape is answered is seen by its content.
   */
  global_version: z.string().min(1).nullable().default(GLOBAL_VERSION),
  /** Kept by us; lasts fifteen minutes. */
  access_token: z.string().min(1).optional(),
});
export type WalmartCredentials = z.infer<typeof WalmartCredentials>;

export const WALMART_FORM: CredentialForm = {
  settings: ['global_version'],
  help: 'En el portal para desarrolladores de Walmart Marketplace, con tu usuario de vendedor de México, crea las claves de producción.',
  fields: [
    {
      name: 'client_id',
      label: 'Client ID',
      hint: 'El identificador de tus claves de producción.',
    },
    {
      name: 'client_secret',
      label: 'Client Secret',
      hint: 'Aparece junto al Client ID, en el mismo lugar.',
      isSecret: true,
    },
  ],
};
