import { useFrame } from '../frame/use-frame.ts';
import { words } from '../words.ts';

const EXPORTS = '/cuenta/exportaciones';

interface ExportLinkProps {
  /** The kind of rows, as the page of exports names it. */
  readonly of:
    | 'orders'
    | 'payouts'
    | 'payout_lines'
    | 'findings'
    | 'withheld'
    | 'uninvoiced'
    | 'global_invoice';
  /** Whether the screen has other filters, which a file does not take. */
  readonly isNarrowed?: boolean;
  /** The days that the screen shows, as YYYY-MM-DD. */
  readonly days?: { readonly desde?: string | undefined; readonly hasta?: string | undefined };
}

/** A link to the exports, for roles that may create them; the form there is filled in. */
export function ExportLink({ of, isNarrowed = false, days = {} }: ExportLinkProps) {
  const links = useFrame().data?.navigation ?? [];
  const link = links.find(({ address }) => address.startsWith(EXPORTS));
  if (!link) return null;
  const wanted = new URLSearchParams({ que: of });
  if (days.desde) wanted.set('desde', days.desde);
  if (days.hasta) wanted.set('hasta', days.hasta);
  if (isNarrowed) wanted.set('filtros', 'otros');
  return (
    <a className="button quiet" href={`${link.address}&${wanted}`}>
      {words.orders.exportAll}
    </a>
  );
}
