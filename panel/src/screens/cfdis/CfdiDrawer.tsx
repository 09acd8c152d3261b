import {
  cfdiDirections,
  cfdiPayments,
  cfdiStatuses,
  cfdiTypes,
  cfdiWords,
} from '../../cfdi-words.ts';
import type { Output } from '../../client.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { DownloadXml } from '../../parts/DownloadXml.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { When } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { CfdiOrders } from './CfdiOrders.tsx';
import { TONES } from './tones.ts';

type Found = Output<'cfdis.get'>;

/** One document, over its list; the address names it. */
export function CfdiDrawer({ uuid, onClose }: { uuid: string; onClose: () => void }) {
  const { data, error, refetch } = useRead('cfdis.get', { uuid }, { isEnabled: uuid !== '' });
  return (
    <SidePanel isOpen={uuid !== ''} title={cfdiWords.one} onClose={onClose}>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p role="status">{words.parts.loading}</p>}
      {data && <Details found={data} />}
    </SidePanel>
  );
}

function Details({ found: { data: cfdi, shown } }: { found: Found }) {
  const { currency } = cfdi;
  return (
    <div className="details">
      <p className="details-head">
        <StatusBadge tone={TONES[cfdi.status]} word={cfdiStatuses[cfdi.status]} />
        <code>{cfdi.uuid}</code> <CopyButton text={cfdi.uuid} />
      </p>
      {cfdi.status === 'desconocido' && <p className="faint">{cfdiWords.notAsked}</p>}
      <p>
        <DownloadXml uuid={cfdi.uuid} className="button quiet" />
      </p>
      <dl className="pairs">
        <dt>{cfdiWords.type}</dt>
        <dd>
          {cfdiTypes[cfdi.type]} · {cfdiDirections[cfdi.direction]}
        </dd>
        {shown.name !== '' && (
          <>
            <dt>{cfdiWords.folio}</dt>
            <dd>{shown.name}</dd>
          </>
        )}
        <dt>{cfdiWords.issuer}</dt>
        <dd>
          {shown.issuer_name} <code>{cfdi.issuer_rfc}</code>
        </dd>
        <dt>{cfdiWords.receiver}</dt>
        <dd>
          {shown.receiver_name} <code>{cfdi.receiver_rfc ?? cfdiWords.foreigner}</code>
        </dd>
        <dt>{cfdiWords.issued}</dt>
        <dd>
          <When at={cfdi.issued_at} />
        </dd>
        <dt>{cfdiWords.total}</dt>
        <dd>
          <Money amount={cfdi.total} currency={currency} />
        </dd>
        {cfdi.payment_state && (
          <>
            <dt>{cfdiWords.payment}</dt>
            <dd>
              {cfdiPayments[cfdi.payment_state]} (
              <Money amount={cfdi.paid_total} currency={currency} />)
            </dd>
          </>
        )}
        {shown.taxes_transferred !== null && (
          <>
            <dt>{cfdiWords.transferred}</dt>
            <dd>
              <Money amount={Number(shown.taxes_transferred)} currency={currency} />
            </dd>
          </>
        )}
        {shown.taxes_withheld !== null && (
          <>
            <dt>{cfdiWords.withheld}</dt>
            <dd>
              <Money amount={Number(shown.taxes_withheld)} currency={currency} />
            </dd>
          </>
        )}
      </dl>
      <CfdiOrders cfdi={cfdi} />
      <Items shown={shown} currency={currency} />
      <Related cfdi={cfdi} />
    </div>
  );
}

interface ItemsProps {
  readonly shown: Found['shown'];
  readonly currency: string;
}

function Items({ shown: { items, item_count }, currency }: ItemsProps) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{cfdiWords.items(item_count)}</h3>
      <ul className="items">
        {items.map(({ description, sku, quantity, amount }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may sell the same item
          <li key={at}>
            <div>
              <strong>{`${quantity} × ${description}`}</strong>
              <span className="faint">{sku && `${words.order.sku} ${sku}`}</span>
            </div>
            <div className="number">
              <Money amount={Number(amount)} currency={currency} />
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function Related({ cfdi: { named_by, replaced_by, currency } }: { cfdi: Found['data'] }) {
  if (named_by.length === 0) return null;
  return (
    <>
      <h3>{cfdiWords.related}</h3>
      {replaced_by && <p>{cfdiWords.replaced(replaced_by)}</p>}
      <ul>
        {named_by.map(({ uuid, relation, amount }) => (
          <li key={`${uuid} ${relation}`}>
            {relation} <code>{uuid}</code>{' '}
            {amount !== null && <Money amount={amount} currency={currency} />}
          </li>
        ))}
      </ul>
    </>
  );
}
