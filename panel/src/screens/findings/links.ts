import { organizationId } from '../../client.ts';
import { type Finding, findingWords } from '../../finding-words.ts';
import { daysOf } from '../cfdis/search.ts';

interface Link {
  readonly address: string;
  readonly word: string;
}

const OF_ORDER: readonly Finding['kind'][] = [
  'order_unpaid',
  'fee_charged_twice',
  'withheld_differs',
  'fee_kept_on_refund',
  'cfdi_total_differs',
  'fee_unusual',
];

/**
 * Where the panel has what the finding is about, and where it is settled.
 *
 * @param operations that the person may call
 */
export function linksOf(finding: Finding, operations: readonly string[]): Link[] {
  const place = placeOf(finding);
  return place === null
    ? remediesOf(finding, operations)
    : [place, ...remediesOf(finding, operations)];
}

function placeOf({ kind, subject, marketplace, account_id }: Finding): Link | null {
  if (kind === 'certificate_differs')
    return linkTo('retenciones', { periodo: subject }, findingWords.openPeriod);
  if (kind === 'fee_invoices_differ') {
    const received = { sentido: 'received', ...daysOf(subject) };
    return linkTo('facturas', received, findingWords.openInvoices);
  }
  if (marketplace === null || account_id === null) return null;
  if (OF_ORDER.includes(kind)) {
    const order = { orden: subject, de: marketplace, cuenta: account_id };
    return linkTo('ordenes', order, findingWords.openOrder);
  }
  if (kind === 'orders_without_cfdi') {
    const month = { vista: 'pendientes', canal: marketplace, ...daysOf(subject.slice(0, 7)) };
    return linkTo('facturas', month, findingWords.openUninvoiced);
  }
  if (kind !== 'payout_unexplained') return null;
  const payout = { marketplace, cuenta: account_id, pago: subject };
  return linkTo('saldos', payout, findingWords.openPayout);
}

function remediesOf({ kind }: Finding, operations: readonly string[]): Link[] {
  if (kind === 'movement_without_order' && operations.includes('connections.check-orders'))
    return [linkTo('conexiones', {}, findingWords.openConnections)];
  if (kind === 'withheld_differs' && operations.includes('fiscal-profile.read'))
    return [linkTo('ajustes', {}, findingWords.openSettings)];
  return [];
}

function linkTo(place: string, query: Readonly<Record<string, string>>, word: string): Link {
  const search = new URLSearchParams(query).toString();
  return { address: `/panel/${organizationId}/${place}${search && `?${search}`}`, word };
}
