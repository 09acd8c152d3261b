import { z } from 'zod';
import type { CredentialForm } from '../contract.ts';

/** Checked before any call: the shop's name becomes a host that gets our secrets. */
export const SHOP = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;

/**
 * The credential file of a Shopify store: an expiring token with its refresh token; an older `shpat_`
 * token that does not expire, with the secret that its application signs with; or the client of an
 * application of the store's own, which requests its tokens itself.
 */
export const ShopifyCredentials = z
  .strictObject({
    shop: z.string().toLowerCase().regex(SHOP),
    access_token: z.string().min(1).optional(),
    refresh_token: z.string().min(1).optional(),
    client_id: z.string().min(1).optional(),
    client_secret: z.string().min(1).optional(),
  })
  .refine(
    ({ access_token, client_id, client_secret }) => access_token || (client_id && client_secret),
    {
      path: ['access_token'],
    },
  );
export type ShopifyCredentials = z.infer<typeof ShopifyCredentials>;

export const SHOPIFY_FORM: CredentialForm = {
  help: 'Si tu tienda tiene una aplicación propia en Shopify, usa sus claves.',
  fields: [
    {
      name: 'shop',
      label: 'Dominio de la tienda',
      hint: 'El que termina en .myshopify.com, como mitienda.myshopify.com.',
    },
    {
      name: 'client_id',
      label: 'ID de cliente',
      hint: 'En la configuración de tu aplicación.',
      isOptional: true,
    },
    {
      name: 'client_secret',
      label: 'Secreto de cliente',
      hint: 'Está junto al ID de cliente. Con él comprobamos que los webhooks vienen de Shopify.',
      isSecret: true,
      isOptional: true,
    },
    {
      name: 'access_token',
      label: 'Token de acceso',
      hint: 'Solo si tu aplicación es anterior y tiene un token que empieza con shpat_. Entonces deja vacío el ID de cliente; sin el secreto, en vez de recibir webhooks consultamos los cambios cada pocos minutos.',
      isSecret: true,
      isOptional: true,
    },
  ],
};
