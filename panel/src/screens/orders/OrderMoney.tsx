import type { Output } from '../../client.ts';
import { moneyText } from '../../format.ts';
import { Money } from '../../parts/Money.tsx';
import { When } from '../../parts/When.tsx';
import { words } from '../../words.ts';

type Order = Output<'orders.get'>['data'];

interface Part {
  readonly label: string;
  readonly amount: number | null | undefined;
  readonly sign?: '+' | '−';
  /** Whether the marketplace's total has it; null = unknown. */
  readonly isIncluded?: boolean | null;
  readonly note?: string | undefined;
}

/** The parts of the total in the order of their sum, then what the seller is charged and earns. */
export function OrderMoney({ order }: { order: Order }) {
  const { currency, total_includes: includes, money_difference: difference } = order;
  const parts: Part[] = [
    { label: words.order.subtotal, amount: order.subtotal },
    {
      label: words.order.discount,
      amount: order.order_discount,
      sign: '−',
      isIncluded: includes?.order_discount ?? null,
    },
    {
      label: words.order.shipping,
      amount: order.shipping_total,
      sign: '+',
      isIncluded: includes?.shipping ?? null,
    },
    {
      label: words.order.tax,
      amount: order.tax_added,
      sign: '+',
      isIncluded: includes?.tax ?? null,
    },
    { label: words.order.other, amount: order.other_total, sign: '+' },
  ];
  const earnings: Part[] = [
    { label: words.order.fees, amount: order.fees_total },
    { label: words.order.withheld, amount: order.withheld_total },
    {
      label: words.order.net,
      amount: order.net_total,
      note: order.net_complete ? undefined : words.order.partial,
    },
  ];
  return (
    <>
      <h3>{words.order.money}</h3>
      <table className="sum">
        <tbody>
          {parts.filter(isReported).map((part) => (
            <Line key={part.label} part={part} currency={currency} />
          ))}
          <tr className="sum-total">
            <th scope="row">{words.order.total}</th>
            <td>
              <Money amount={order.total} currency={currency} absent={words.orders.unknownTotal} />
            </td>
          </tr>
          {[{ label: words.order.refunded, amount: order.refunded_total }, ...earnings]
            .filter(isReported)
            .map((part) => (
              <Line key={part.label} part={part} currency={currency} />
            ))}
        </tbody>
      </table>
      {order.money_check === 'ok' && <p className="faint">{words.order.explained}</p>}
      {order.money_check === 'unexplained' && difference !== null && (
        <p className="faint">{words.order.unexplained(moneyText(difference, currency))}</p>
      )}
      {order.refunds.length > 0 && (
        <>
          <h3>{words.order.refunds}</h3>
          <ul className="items">
            {order.refunds.map(({ amount, at }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two refunds may be alike
              <li key={index}>
                <span className="faint">{at ? <When at={at} /> : words.order.undated}</span>
                <Money amount={amount} currency={currency} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Zero is shown only where it is the sum of the items. */
function isReported({ label, amount }: Part): boolean {
  return (
    label === words.order.subtotal || (amount !== null && amount !== undefined && amount !== 0)
  );
}

function Line({ part, currency }: { part: Part; currency: string }) {
  const { label, amount, sign, isIncluded, note } = part;
  return (
    <tr>
      <th scope="row">
        {label}
        {isIncluded === false && <span className="faint"> {words.order.notIncluded}</span>}
        {note && <span className="faint"> {note}</span>}
      </th>
      <td>
        {sign && <span aria-hidden="true">{sign} </span>}
        <Money amount={amount} currency={currency} />
      </td>
    </tr>
  );
}
