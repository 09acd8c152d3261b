import { serviceName } from '../../carriers/registry.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { dayInWords } from '../../platform/time.ts';
import { EXPORTS, type Exported } from './exports.ts';
import type { ExportTerms } from './terms.ts';

/** What people call the rows of each kind; also the name of their sheet. */
export const TITLES: Readonly<Record<Exported, string>> = {
  orders: 'Órdenes',
  items: 'Artículos de las órdenes',
  sales: 'Ventas por día',
  balances: 'Saldos',
  shipments: 'Envíos',
  payouts: 'Pagos del marketplace',
  payout_lines: 'De qué se compone cada pago',
  findings: SITE_PAGES.findings.name,
  withheld: SITE_PAGES.withheld.name,
  withheld_lines: 'Retenciones por orden',
  uninvoiced: 'Facturas pendientes',
  global_invoice: 'Órdenes para la factura global',
};

/** Whose days a period has. */
export const DAYS_OF = {
  organization: 'Los días son los de tu zona horaria.',
  books: 'Los días son los de la Ciudad de México.',
} as const;

/** Null where its rows have no day. */
export function periodInWords(
  what: Exported,
  { from, to }: Pick<ExportTerms, 'from' | 'to'>,
): string | null {
  if (EXPORTS[what].days === null) return null;
  if (from === null && to === null) return 'Todo el periodo';
  if (from === null) return `Hasta el ${dayInWords(to ?? '')}`;
  return to === null
    ? `Desde el ${dayInWords(from)}`
    : `Del ${dayInWords(from)} al ${dayInWords(to)}`;
}

/** Of which marketplace or payout alone it is; null = of all. */
export function narrowedInWords({
  marketplace,
  payout,
}: Pick<ExportTerms, 'marketplace' | 'payout'>): string | null {
  if (marketplace === null) return null;
  const name = serviceName(marketplace);
  return payout === null ? `Solo ${name}` : `Solo el pago ${payout.id} de ${name}`;
}
