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

type Cfdi = Output<'cfdis.get'>['data'];
type Which = Pick<Cfdi['links'][number], 'marketplace' | 'account_id' | 'order_id'>;

/** The orders of a document, and those that it may belong to: a person decides. */
export function CfdiOrders({ cfdi: { uuid, links, candidates } }: { cfdi: Cfdi }) {
  const { nameOf } = useServices();
  const mayLink = useMay('cfdis.link');
  const settle = useChange('cfdis.link');
  const set = ({ marketplace, account_id, order_id }: Which, state: 'linked' | 'rejected') =>
    settle.mutate({ uuid, marketplace, account_id, order_id, state });
  const again = () => settle.variables && settle.mutate(settle.variables);
  const button = (which: Which, state: 'linked' | 'rejected', label: string) =>
    mayLink && (
      <BusyButton
        className="link-button"
        isBusy={settle.isPending}
        onClick={() => set(which, state)}
      >
        {label}
      </BusyButton>
    );
  const others = (
    <ul>
      {candidates.map((one) => (
        <li key={keyOf(one)}>
          <ServiceMark name={nameOf(one.marketplace)} />{' '}
          <code>
            <OrderLink order={one} />
          </code>{' '}
          <Money amount={one.total} currency={one.currency} />{' '}
          <span className="faint">{cfdiReasons[one.reason]}</span>{' '}
          {button(one, 'linked', cfdiWords.link)}
        </li>
      ))}
    </ul>
  );
  return (
    <>
      <h3>{cfdiWords.orders}</h3>
      {settle.error && <FailureNote failure={settle.error} onAgain={again} />}
      {links.length === 0 && <p className="faint">{cfdiWords.noOrders}</p>}
      <ul>
        {links.map((link) => (
          <li key={keyOf(link)}>
            <ServiceMark name={nameOf(link.marketplace)} />{' '}
            <code>
              <OrderLink order={link} />
            </code>{' '}
            <span className="faint">{cfdiOrigins[link.origin]}</span>{' '}
            {button(link, 'rejected', cfdiWords.unlink)}
          </li>
        ))}
      </ul>
      {candidates.length > 0 &&
        (links.length === 0 ? (
          <>
            <h3>{cfdiWords.candidates}</h3>
            {others}
          </>
        ) : (
          <details>
            <summary>{cfdiWords.candidates}</summary>
            {others}
          </details>
        ))}
    </>
  );
}

function keyOf({ marketplace, account_id, order_id }: Which): string {
  return `${marketplace} ${account_id} ${order_id}`;
}
