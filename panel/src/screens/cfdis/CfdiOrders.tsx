import { useEffect, useRef } from 'react';
import { cfdiOrigins, cfdiReasons, cfdiWords } from '../../cfdi-words.ts';
import type { Output } from '../../client.ts';
import { useMay } from '../../frame/use-frame.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { OrderLink } from '../../parts/OrderLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { useServices } from '../../parts/use-services.ts';
import { useChange } from '../../queries.ts';
import { words } from '../../words.ts';
import { OtherOrders } from './OtherOrders.tsx';

type Cfdi = Output<'cfdis.get'>['data'];
type Which = Pick<Cfdi['links'][number], 'marketplace' | 'account_id' | 'order_id'>;

interface Row extends Which {
  /** Why it is here. */
  readonly why: string;
  readonly total?: number | null;
  readonly currency?: string | null;
  readonly state: 'linked' | 'rejected';
}

/** No sale has them. */
const WITHOUT_ORDERS: readonly Cfdi['type'][] = ['retencion', 'nomina'];

/** The orders of a document, and those that it may belong to: a person decides. */
export function CfdiOrders({ cfdi: { uuid, type, links, candidates } }: { cfdi: Cfdi }) {
  const mayLink = useMay('cfdis.link');
  const heading = useFocusBack(links.length);
  const settle = useChange('cfdis.link');
  const again = () => settle.variables && settle.mutate(settle.variables);
  const settleRow = ({ marketplace, account_id, order_id, state }: Row) =>
    settle.mutate({ uuid, marketplace, account_id, order_id, state });
  const rowOf = (row: Row) => (
    <OrderRow
      key={keyOf(row)}
      row={row}
      isBusy={settle.isPending}
      onSettle={mayLink ? settleRow : undefined}
    />
  );
  const proposed = (
    <ul className="items">
      {candidates.map((one) => rowOf({ ...one, why: cfdiReasons[one.reason], state: 'linked' }))}
    </ul>
  );
  const known = new Set([...links, ...candidates].map(keyOf));
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        {cfdiWords.orders}
      </h3>
      {settle.error && <FailureNote failure={settle.error} onAgain={again} />}
      {links.length === 0 && <p className="faint">{cfdiWords.noOrders}</p>}
      <ul className="items">
        {links.map((one) => rowOf({ ...one, why: cfdiOrigins[one.origin], state: 'rejected' }))}
      </ul>
      {candidates.length > 0 &&
        (links.length === 0 ? (
          <>
            <h3>{cfdiWords.candidates}</h3>
            {proposed}
          </>
        ) : (
          <details>
            <summary>{cfdiWords.candidates}</summary>
            {proposed}
          </details>
        ))}
      {mayLink && !WITHOUT_ORDERS.includes(type) && (
        <OtherOrders
          rowOf={({ id, marketplace, account_id, total, currency, buyer_name }) => {
            const which = { order_id: id, marketplace, account_id };
            if (known.has(keyOf(which))) return null;
            return rowOf({
              ...which,
              total,
              currency,
              why: buyer_name ?? words.orders.hiddenBuyer,
              state: 'linked',
            });
          }}
        />
      )}
    </>
  );
}

interface OrderRowProps {
  readonly row: Row;
  readonly isBusy: boolean;
  /** Undefined = the person may not. */
  readonly onSettle: ((row: Row) => void) | undefined;
}

function OrderRow({ row, isBusy, onSettle }: OrderRowProps) {
  const { nameOf } = useServices();
  const { marketplace, order_id, why, total = null, currency = null, state } = row;
  const label = state === 'linked' ? cfdiWords.link : cfdiWords.unlink;
  return (
    <li>
      <div>
        <span>
          <ServiceMark name={nameOf(marketplace)} />{' '}
          <code>
            <OrderLink order={row} />
          </code>
        </span>
        <span className="faint">{why}</span>
      </div>
      <div className="number">
        {total !== null && currency && <Money amount={total} currency={currency} />}
        {onSettle && (
          <BusyButton
            className="link-button"
            aria-label={`${label} ${order_id}`}
            isBusy={isBusy}
            onClick={() => onSettle(row)}
          >
            {label}
          </BusyButton>
        )}
      </div>
    </li>
  );
}

/** The heading gets the focus of a button that leaves with its row. @returns its ref */
function useFocusBack(count: number) {
  const heading = useRef<HTMLHeadingElement>(null);
  const former = useRef(count);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (former.current !== count && isLost) heading.current?.focus();
    former.current = count;
  }, [count]);
  return heading;
}

function keyOf({ marketplace, account_id, order_id }: Which): string {
  return `${marketplace} ${account_id} ${order_id}`;
}
