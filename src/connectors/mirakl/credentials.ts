import { z } from 'zod';
import type { CredentialForm } from '../contract.ts';

/** At least two labels, and the last one no number: a numeric address is refused. */
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,63}$/;

/**
 * The credential file of a shop. Operators move hosts, so another than the usual one may be named.
 */
export function miraklCredentials(usualHost: string) {
  return z.strictObject({
    api_key: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]+$/),
    host: z.string().default(usualHost).transform(readHost),
    /** For users with several shops; otherwise the check finds it. */
    shop_id: z.union([z.string().regex(/^\d+$/), z.int().positive().transform(String)]).optional(),
    /** Found with the shop: the currency of an empty account's amounts. */
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .optional(),
  });
}
export type MiraklCredentials = z.infer<ReturnType<typeof miraklCredentials>>;

/** As a seller would paste it, from the address bar too. */
function readHost(typed: string, context: z.RefinementCtx): string {
  const text = typed.trim().toLowerCase();
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  const isPlain =
    url?.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '';
  if (isPlain && HOST_NAME.test(url.hostname)) return url.hostname;
  context.addIssue({ code: 'custom', message: 'expected the name of a public host' });
  return z.NEVER;
}

export const MIRAKL_FORM: CredentialForm = {
  help: 'En tu portal de vendedor, abre el menú de tu usuario y entra a «Clave de API». Si no ves esa opción, pide la clave a tu contacto del marketplace: es posible que las cuentas nuevas no la tengan.',
  fields: [
    {
      name: 'api_key',
      label: 'Clave de API',
      hint: 'Es un texto largo con letras, números y guiones.',
      isSecret: true,
    },
    {
      name: 'shop_id',
      label: 'Número de tienda',
      hint: 'Solo si tu usuario tiene varias tiendas: el número de la que quieres conectar.',
      isOptional: true,
    },
    {
      name: 'host',
      label: 'Dirección del portal',
      hint: 'Solo si tu portal cambió de dirección: cópiala del navegador, como portal.mirakl.net.',
      isOptional: true,
    },
  ],
};
