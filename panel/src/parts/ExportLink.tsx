import { listOf } from '../address.ts';
import { useFrame } from '../frame/use-frame.ts';
import { words } from '../words.ts';

const EXPORTS = '/cuenta/exportaciones';

interface ExportLinkProps {
  /** The kind of rows, as the page of exports names it. */
  readonly of:
    | 'orders'
    | 'sales'
    | 'shipments'
    | 'payouts'
    | 'payout_lines'
    | 'findings'
    | 'withheld'
    | 'withheld_lines'
    | 'uninvoiced'
    | 'global_invoice';
  /** Whether the screen has other filters, which a file does not take. */
  readonly isNarrowed?: boolean;
  /** The marketplaces that the screen shows, by commas: a file takes one, or all of them. */
  readonly marketplaces?: string | undefined;
  /** The only payout whose lines are wanted. */
  readonly payout?: {
    readonly marketplace: string;
    readonly account_id: string;
    readonly id: string;
  };
  /** The days that the screen shows, as YYYY-MM-DD. */
  readonly days?: { readonly desde?: string | undefined; readonly hasta?: string | undefined };
}

/** A link to the exports, for roles that may create them; the form there is filled in. */
export function ExportLink({ of, isNarrowed, marketplaces, payout, days = {} }: ExportLinkProps) {
  const links = useFrame().data?.navigation ?? [];
  const link = links.find(({ address }) => address.startsWith(EXPORTS));
  if (!link) return null;
  const wanted = new URLSearchParams({ que: of });
  if (days.desde) wanted.set('desde', days.desde);
  if (days.hasta) wanted.set('hasta', days.hasta);
  const [marketplace, ...more] = listOf(marketplaces);
  if (marketplace && more.length === 0) wanted.set('marketplace', marketplace);
  if (payout) {
    wanted.set('marketplace', payout.marketplace);
    wanted.set('cuenta', payout.account_id);
    wanted.set('pago', payout.id);
  }
  if (isNarrowed || more.length > 0) wanted.set('filtros', 'otros');
  return (
    <a className="button quiet" href={`${link.address}&${wanted}`}>
      {words.orders.exportAll}
    </a>
  );
}
