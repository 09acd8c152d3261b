import type { Output } from '../../client.ts';
import { moneyText } from '../../format.ts';
import { Money } from '../../parts/Money.tsx';
import { useServices } from '../../parts/use-services.ts';
import { When } from '../../parts/When.tsx';
import { words } from '../../words.ts';
import { moneyWords } from './money-words.ts';

type Order = Output<'orders.get'>['data'];
type Ledger = Output<'orders.get'>['ledger'];

interface Part {
  readonly label: string;
  /** Negative where it reduces; undefined = the role does not see it. */
  readonly amount: number | null | undefined;
  /** Whether the marketplace's total has it; null = unknown. */
  readonly isIncluded?: boolean | null;
  readonly note?: string | undefined;
}

/**
 * The parts of the total in the order of their sum, then what the seller is charged and earns. What
 * the total leaves out is apart, and so are the movements of the ledger, which give the net: each
 * column adds up.
 */
export function OrderMoney({ order, ledger }: { order: Order; ledger: Ledger }) {
  const { currency, money_difference: difference } = order;
  const { serviceOf, nameOf } = useServices();
  const name = nameOf(order.marketplace);
  const hasLedger = serviceOf(order.marketplace)?.tells_net ?? false;
  const payer = usePayer(order);
  const parts = partsOf(order, payer);
  const isOfTotal = (part: Part) => part.isIncluded !== false;
  const apart = parts.filter((part) => !isOfTotal(part));
  const line = (part: Part) => <Line key={part.label} part={part} currency={currency} />;
  return (
    <>
      <h3>{moneyWords.money}</h3>
      <table className="sum">
        <tbody>
          {parts.filter(isOfTotal).map(line)}
          <tr className="sum-total">
            <th scope="row">{moneyWords.totalAt(name)}</th>
            <td>
              <Money
                amount={order.total}
                currency={currency}
                absent={words.orders.noTotal(order.status === 'cancelled')}
              />
            </td>
          </tr>
          {!ledger && chargedOf(order, hasLedger).map(line)}
          {!ledger && <Net order={order} net={order.net_total} />}
        </tbody>
      </table>
      {order.money_check === 'ok' && (
        <p className="faint">
          {ledger ? moneyWords.explained(name) : moneyWords.explainedBut(name)}
        </p>
      )}
      {order.money_check === 'unexplained' && difference !== null && (
        <p className="faint">{moneyWords.unexplained(name, moneyText(difference, currency))}</p>
      )}
      {apart.length > 0 && (
        <>
          <h3>{moneyWords.apart}</h3>
          <table className="sum">
            <tbody>{apart.map(line)}</tbody>
          </table>
        </>
      )}
      {ledger && <Settled order={order} ledger={ledger} />}
      {order.refunds.length > 0 && (
        <>
          <h3>{moneyWords.refunds}</h3>
          <ul className="items">
            {order.refunds.map(({ amount, at }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two refunds may be alike
              <li key={index}>
                <span className="faint">{at ? <When at={at} /> : moneyWords.undated}</span>
                <Money amount={less(amount)} currency={currency} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** The movements of the order, down to its net, and a note where the marketplace tells less. */
function Settled({ order, ledger }: { order: Order; ledger: NonNullable<Ledger> }) {
  const { currency, total, marketplace } = order;
  const { sums, sold, net } = ledger;
  const { serviceOf, nameOf } = useServices();
  const name = nameOf(marketplace);
  const parts = settledOf(sums);
  const withholds = serviceOf(marketplace)?.is_own_shop === false;
  const money = (amount: number) => moneyText(amount, currency);
  const notes = [
    parts.length === 0 && moneyWords.settledToZero,
    parts.length > 0 && sold === null && moneyWords.unsold(name),
    parts.length > 0 &&
      sold !== null &&
      total !== null &&
      sold !== total &&
      moneyWords.soldOtherwise(name, money(sold), money(total)),
    withholds && !sums.some(({ kind }) => TAX_KINDS.has(kind)) && moneyWords.noTaxes(name),
  ];
  return (
    <>
      <h3>{moneyWords.settled(name)}</h3>
      <table className="sum">
        <tbody>
          {parts.map((part) => (
            <Line key={part.label} part={part} currency={currency} />
          ))}
          <Net order={order} net={net} />
        </tbody>
      </table>
      {notes
        .filter((note) => note !== false)
        .map((note) => (
          <p key={note} className="faint">
            {note}
          </p>
        ))}
    </>
  );
}

const TAX_KINDS: ReadonlySet<string> = new Set(['isr', 'iva', 'withheld']);

function partsOf(order: Order, payer: string | undefined): Part[] {
  const { total_includes: includes } = order;
  const parts: Part[] = [
    { label: moneyWords.subtotal, amount: order.subtotal },
    {
      label: moneyWords.discount,
      // Outside the sum it reduces nothing.
      amount:
        includes?.order_discount === false ? order.order_discount : less(order.order_discount),
      isIncluded: includes?.order_discount ?? null,
      note: payer,
    },
    {
      label: moneyWords.shipping,
      amount: order.shipping_total,
      isIncluded: includes?.shipping ?? null,
    },
    { label: moneyWords.tax, amount: order.tax_added, isIncluded: includes?.tax ?? null },
    { label: moneyWords.other, amount: order.other_total },
  ];
  return parts.filter(isReported);
}

/**
 * What is known of the seller's side before the ledger has the order. A cancelled order may never
 * have a movement: its fee is what the order announced.
 */
function chargedOf(order: Order, hasLedger: boolean): Part[] {
  const isAnnounced = hasLedger && order.status === 'cancelled' && order.fees_source === 'order';
  const parts: Part[] = [
    { label: moneyWords.refunded, amount: less(order.refunded_total) },
    {
      label: moneyWords.fees,
      amount: less(order.fees_total),
      note: isAnnounced ? moneyWords.feesAnnounced : undefined,
    },
    { label: moneyWords.withheld, amount: less(order.withheld_total) },
  ];
  return parts.filter(isReported);
}

/** The movements by kind, in the order of a statement. */
function settledOf(sums: NonNullable<Ledger>['sums']): Part[] {
  const { movements } = moneyWords;
  const parts = (Object.keys(movements) as (keyof typeof movements)[]).map((kind) => ({
    label: movements[kind],
    amount: sums.find((sum) => sum.kind === kind)?.amount,
  }));
  return parts.filter(isReported);
}

/** The payer of the order's discount, in words; undefined = hidden from this role. */
function usePayer(order: Order): string | undefined {
  const { serviceOf, nameOf } = useServices();
  const { marketplace_discount_total: theirs, currency, marketplace } = order;
  const { discountPaidBy: paid } = moneyWords;
  const name = nameOf(marketplace);
  if (theirs === undefined) return undefined;
  if (theirs === 0 || serviceOf(marketplace)?.is_own_shop) return paid.seller;
  if (theirs === null) return paid.unknown(name);
  return theirs === order.discount_total
    ? paid.marketplace(name)
    : paid.both(name, moneyText(theirs, currency));
}

/** What the seller earns, or why that is not known. */
function Net({ order, net }: { order: Order; net: number | null | undefined }) {
  const { serviceOf, nameOf } = useServices();
  const { currency, marketplace, status } = order;
  if (net === undefined) return null;
  const known = serviceOf(marketplace);
  const name = nameOf(marketplace);
  const why = () => {
    if (known && !known.tells_net) return moneyWords.netNever(name);
    if (status === 'cancelled') return moneyWords.netCancelled;
    return known?.is_own_shop ? moneyWords.netOfOwnShop(name) : moneyWords.netLater(name);
  };
  return (
    <tr className="sum-net">
      <th scope="row">
        <span className="sum-label">
          {moneyWords.net}
          {net !== null && !order.net_complete && (
            <span className="faint"> {moneyWords.partial}</span>
          )}
        </span>
      </th>
      <td>
        <Money amount={net} currency={currency} absent={why()} />
      </td>
    </tr>
  );
}

/** As it is shown where it reduces. */
function less(amount: number | null | undefined): number | null | undefined {
  return amount === null || amount === undefined ? amount : -amount;
}

/** Zero is shown only where it is the sum of the items. */
function isReported({ label, amount }: Part): boolean {
  return label === moneyWords.subtotal || (amount !== null && amount !== undefined && amount !== 0);
}

function Line({ part, currency }: { part: Part; currency: string }) {
  const { label, amount, isIncluded, note } = part;
  const notes = [isIncluded === false && moneyWords.notIncluded, note].filter(Boolean);
  return (
    <tr>
      <th scope="row">
        {label}
        {notes.length > 0 && <span className="faint sum-note">{notes.join('; ')}</span>}
      </th>
      <td>
        <Money amount={amount} currency={currency} />
      </td>
    </tr>
  );
}
