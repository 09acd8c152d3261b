import { type Output, organizationId } from '../../client.ts';
import { counted } from '../../format.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { Money } from '../../parts/Money.tsx';
import { OrderLink } from '../../parts/OrderLink.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { When } from '../../parts/When.tsx';
import { uninvoicedWords } from '../../uninvoiced-words.ts';
import { periodText } from '../../withheld-words.ts';
import { words } from '../../words.ts';

type Sum = Output<'cfdis.uninvoiced-sums'>['data'][number];
type Order = Output<'cfdis.uninvoiced'>['data'][number];

/** The keys place the facts on a narrow screen. */
export function columnsOfSums(nameOf: (slug: string) => string): Column<Sum>[] {
  return [
    {
      key: 'id',
      title: uninvoicedWords.month,
      cell: ({ month, marketplace }) => `${periodText(month)} · ${nameOf(marketplace)}`,
    },
    {
      key: 'items',
      title: uninvoicedWords.orders,
      width: '8rem',
      isNumber: true,
      cell: ({ orders }) => counted(orders, 'orden', 'órdenes'),
    },
    {
      key: 'total',
      title: uninvoicedWords.total,
      width: '12rem',
      isNumber: true,
      cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
    },
  ];
}

export function columnsOf(
  view: 'pendientes' | 'global',
  nameOf: (slug: string) => string,
): Column<Order>[] {
  const inGlobal: Column<Order> = {
    key: 'status',
    title: uninvoicedWords.inGlobal,
    width: '16rem',
    cell: ({ global_uuid }) =>
      global_uuid === null ? (
        <span className="faint">{uninvoicedWords.notInGlobal}</span>
      ) : (
        <PanelLink address={`/panel/${organizationId}/facturas?folio=${global_uuid}`}>
          <code>{global_uuid}</code>
        </PanelLink>
      ),
  };
  return [
    {
      key: 'id',
      title: uninvoicedWords.order,
      cell: (order) => <OrderLink order={order} />,
    },
    {
      key: 'marketplace',
      title: words.orders.marketplace,
      width: '9.5rem',
      cell: ({ marketplace }) => <ServiceMark name={nameOf(marketplace)} />,
    },
    {
      key: 'date',
      title: uninvoicedWords.date,
      width: '11.25rem',
      cell: ({ date_created }) => <When at={date_created} />,
    },
    ...(view === 'global' ? [inGlobal] : []),
    {
      key: 'aside',
      title: uninvoicedWords.tax,
      width: '9rem',
      isNumber: true,
      cell: ({ tax_total, currency }) => (
        <Money amount={tax_total} currency={currency} absent={uninvoicedWords.noTax} />
      ),
    },
    {
      key: 'total',
      title: uninvoicedWords.total,
      width: '9.5rem',
      isNumber: true,
      cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
    },
  ];
}
