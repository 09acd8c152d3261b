import { z } from 'zod';
import { withoutEnd } from '../../platform/text.ts';
import { type CredentialForm, LONGEST_ACCOUNT, ORDER_STATUSES } from '../contract.ts';

/** At least two labels, and the last one no number: an address by digits is none. */
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/;
/** What begins behind the store's own path where a seller pastes the address of a page of it. */
const BEYOND_STORE = ['wp-json', 'wp-admin', 'wp-login.php', 'index.php'];

/** The credential file of a store. */
export const WooCommerceCredentials = z.strictObject({
  /**
   * Where WordPress lives, path included; without https a store would want its keys signed in
   * another way.
   */
  url: z.string().transform(readStore),
  consumer_key: z
    .string()
    .trim()
    .regex(/^ck_[\w-]+$/),
  consumer_secret: z
    .string()
    .trim()
    .regex(/^cs_[\w-]+$/),
  /** `query` for hosts that take the Authorization header away. */
  auth: z.enum(['header', 'query']).default('header'),
  /** False where the store's permalinks are off: its API then has no path of its own. */
  permalinks: z.boolean().default(true),
  /**
   * What statuses of plugins mean here, and what ones of WooCommerce do where the seller uses them
   * otherwise.
   */
  statuses: z.record(z.string().transform(bareStatus), z.enum(ORDER_STATUSES)).default({}),
});
export type WooCommerceCredentials = z.infer<typeof WooCommerceCredentials>;

/** The database knows a status as `wc-shipped`, the API as `shipped`. */
export function bareStatus(status: string): string {
  return status.trim().replace(/^wc-/, '');
}

function storePath(path: string): string {
  const steps = path.split('/');
  const end = steps.findIndex((step) => BEYOND_STORE.includes(step));
  return end === -1 ? path : steps.slice(0, end).join('/');
}

/** As a seller would paste it. @returns without a slash at its end */
function readStore(typed: string, context: z.RefinementCtx): string {
  const text = typed.trim();
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  const isPlain =
    url?.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '';
  if (isPlain && HOST_NAME.test(url.hostname)) {
    const store = `${url.hostname}${withoutEnd(storePath(url.pathname), '/')}`;
    if (store.length <= LONGEST_ACCOUNT) return `https://${store}`;
  }
  context.addIssue({ code: 'custom', message: 'expected the https address of a store' });
  return z.NEVER;
}

export const WOOCOMMERCE_FORM: CredentialForm = {
  settings: ['statuses'],
  help: 'En WordPress, en WooCommerce > Ajustes > Avanzado > API REST, crea una clave con permiso de lectura y escritura.',
  fields: [
    {
      name: 'url',
      label: 'Dirección de la tienda',
      hint: 'Con https, como https://mitienda.com.mx.',
    },
    {
      name: 'consumer_key',
      label: 'Clave de cliente (consumer key)',
      hint: 'Empieza con ck_.',
    },
    {
      name: 'consumer_secret',
      label: 'Clave secreta de cliente (consumer secret)',
      hint: 'Empieza con cs_. WooCommerce la muestra una sola vez.',
      isSecret: true,
    },
  ],
};
