/** The search of the header, as its pages send it: orders, and a CFDI by its folio fiscal. */
import type { SitePage } from '../platform/site-pages.ts';
import type { Frame } from './navigation.ts';

/** Below the organisation in the panel. */
export const FIND_PATH = '/buscar';
/** Of the form. */
export const FIND_FIELD = 'texto';

/** As the panel's own search does (`FindOrder.tsx`). */
const FOLIO = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The screen that shows what was found; null = the reader has no access to it. */
export function foundAt({ links }: Frame, text: string): string | null {
  const addressOf = (page: SitePage) => links.find(({ place }) => place === page)?.address ?? null;
  const wanted = text.trim();
  const [orders, cfdis] = [addressOf('orders'), addressOf('cfdis')];
  if (cfdis !== null && FOLIO.test(wanted)) return `${cfdis}?folio=${wanted.toUpperCase()}`;
  if (orders === null || wanted === '') return orders;
  return `${orders}?${new URLSearchParams({ buscar: wanted })}`;
}
