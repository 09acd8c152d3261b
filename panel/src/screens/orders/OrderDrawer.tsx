import { type Input, type Output, organizationId } from '../../client.ts';
import { openWords } from '../../open-words.ts';
import { AccountName } from '../../parts/AccountName.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { NativeStatus, StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { Age, When } from '../../parts/When.tsx';
import { payoutWords } from '../../payout-words.ts';
import { useRead } from '../../queries.ts';
import { openTags, statuses, words } from '../../words.ts';
import { OrderCfdis } from './OrderCfdis.tsx';
import { OrderMoney } from './OrderMoney.tsx';
import { OrderParcels } from './OrderParcels.tsx';
import type { OrderSearch } from './search.ts';
import { TONES } from './tones.ts';

type Order = Output<'orders.get'>['data'];

interface OrderDrawerProps {
  readonly search: OrderSearch;
  readonly onClose: () => void;
}

/** One order, over its list; the address names it. */
export function OrderDrawer({ search, onClose }: OrderDrawerProps) {
  const { orden = '', de, cuenta, origen } = search;
  const which = {
    id: orden,
    ...(de && { marketplace: de as Input<'orders.get'>['marketplace'] }),
    ...(cuenta && { account_id: cuenta }),
  };
  const { data, error, refetch } = useRead('orders.get', which, { isEnabled: orden !== '' });
  return (
    <SidePanel isOpen={orden !== ''} title={words.order.title(orden)} onClose={onClose}>
      {origen && (
        <p>
          <PanelLink address={`/panel/${organizationId}/saldos?${origen}`}>
            {payoutWords.back}
          </PanelLink>
        </p>
      )}
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p role="status">{words.parts.loading}</p>}
      {data && <Details order={data.data} ledger={data.ledger} />}
    </SidePanel>
  );
}

function Details({ order, ledger }: { order: Order; ledger: Output<'orders.get'>['ledger'] }) {
  const { nameOf } = useServices();
  return (
    <div className="details">
      <p className="details-head">
        <StatusBadge tone={TONES[order.status]} word={statuses[order.status]} />
        <CopyButton text={order.id} />
      </p>
      <OpenLines order={order} />
      <dl className="pairs">
        <dt>{words.orders.marketplace}</dt>
        <dd>
          <ServiceMark name={nameOf(order.marketplace)} />{' '}
          <span className="faint">
            <AccountName service={order.marketplace} id={order.account_id} />
          </span>
        </dd>
        <dt>{words.parts.nativeAt(nameOf(order.marketplace))}</dt>
        <dd translate="no">{order.marketplace_status}</dd>
        <dt>{words.order.buyer}</dt>
        <dd>{order.buyer_name ?? <span className="faint">{words.orders.hiddenBuyer}</span>}</dd>
        <dt>{words.order.created}</dt>
        <dd>
          <When at={order.date_created} />
        </dd>
        <dt>{words.order.changed}</dt>
        <dd>
          <Age at={order.last_updated} />
        </dd>
      </dl>
      <h3>{words.order.items}</h3>
      <ul className="items">
        {order.items.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may sell the same item
          <li key={at}>
            <div>
              <strong>{words.orders.pieces(item.quantity, item.title)}</strong>
              <span className="faint">
                {[item.variation, item.sku && `${words.order.sku} ${item.sku}`]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </div>
            <div className="number">
              <Money amount={item.subtotal} currency={order.currency} />
              {item.quantity > 1 && (
                <span className="faint">
                  <Money amount={item.unit_price} currency={order.currency} /> {words.order.each}
                </span>
              )}
            </div>
          </li>
        ))}
      </ul>
      <OrderMoney order={order} ledger={ledger} />
      <OrderParcels order={order} />
      <h3>{words.order.history}</h3>
      <ol className="timeline">
        {order.status_history.toReversed().map(({ status, marketplace_status, at }) => (
          <li key={`${status} ${at}`}>
            <span className="event">
              <StatusBadge tone={TONES[status]} word={statuses[status]} />
              <NativeStatus source={nameOf(order.marketplace)} raw={marketplace_status} />
            </span>
            <span className="faint">
              <When at={at} />
            </span>
          </li>
        ))}
      </ol>
      <OrderCfdis order={order} />
    </div>
  );
}

const OPEN_TAGS = Object.keys(openTags) as (keyof typeof openTags)[];

/** What is open: it is attended to at the marketplace. */
function OpenLines({ order }: { order: Order }) {
  const { nameOf } = useServices();
  const tags = order.channel_relations?.tags ?? [];
  const open = OPEN_TAGS.filter((tag) => tags.includes(tag));
  const marketplace = nameOf(order.marketplace);
  return (
    <>
      {open.map((tag) => (
        <p key={tag} className="notice">
          <strong>{openTags[tag]}.</strong> {openWords.meanings[tag]}{' '}
          {openWords.attend(tag, marketplace)}
        </p>
      ))}
    </>
  );
}
