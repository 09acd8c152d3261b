import { cfdiName, cfdiStatuses, cfdiWords } from '../../cfdi-words.ts';
import { type Output, organizationId } from '../../client.ts';
import { useMay } from '../../frame/use-frame.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { DownloadXml } from '../../parts/DownloadXml.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { When } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { OrderBilling } from './OrderBilling.tsx';
import { whichOf } from './which.ts';

type Order = Output<'orders.get'>['data'];

/** The folio that the marketplace reports, and the documents that are linked to the order. */
export function OrderCfdis({ order }: { order: Order }) {
  const mayRead = useMay('cfdis.of-order');
  const { data, error, isLoading, refetch } = useRead('cfdis.of-order', whichOf(order), {
    isEnabled: mayRead,
  });
  const documents = data?.data ?? [];
  const uuid = order.cfdi?.uuid ?? null;
  const isListed = documents.some((one) => one.uuid?.toUpperCase() === uuid?.toUpperCase());
  const hasBilling = data?.has_billing_data ?? false;
  const isSettled = error === null && !isLoading;
  const isWithout = isSettled && documents.length === 0 && uuid === null;
  // A cancelled sale needs none.
  const isLacking = isWithout && mayRead && order.status !== 'cancelled';
  if (isWithout && !isLacking && !hasBilling) return null;
  return (
    <>
      <h3>{words.order.invoice}</h3>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {isLoading && !error && <p role="status">{words.parts.loading}</p>}
      {isLacking && <NoCfdi />}
      <ul className="items">
        {uuid !== null && !isListed && (
          <li>
            <Folio uuid={uuid} />
          </li>
        )}
        {documents.map((one) => (
          <li key={one.id}>
            <div>
              <strong>{one.type === null ? cfdiWords.unread : cfdiName(one.type)}</strong>
              {one.uuid && <Folio uuid={one.uuid} />}
              <span className="faint">
                {cfdiStatuses[one.status ?? 'desconocido']}
                {one.issued_at && (
                  <>
                    {' · '}
                    <When at={one.issued_at} />
                  </>
                )}
              </span>
              {one.uuid && one.type !== null && <CfdiActs uuid={one.uuid} />}
            </div>
            <div className="number">
              {one.total !== null && one.currency && (
                <Money amount={one.total} currency={one.currency} />
              )}
            </div>
          </li>
        ))}
      </ul>
      {hasBilling && <OrderBilling key={order.id} order={order} />}
    </>
  );
}

function NoCfdi() {
  return (
    <p>
      <span className="faint">{cfdiWords.noneOfOrder}</span>{' '}
      {useMay('cfdis.upload') && (
        <PanelLink address={`/panel/${organizationId}/facturas`}>
          {cfdiWords.uploadOfOrder}
        </PanelLink>
      )}
    </p>
  );
}

/** Its page, and its XML. */
function CfdiActs({ uuid }: { uuid: string }) {
  return (
    <span className="acts">
      <PanelLink address={`/panel/${organizationId}/facturas?folio=${encodeURIComponent(uuid)}`}>
        {cfdiWords.open}
      </PanelLink>
      <DownloadXml uuid={uuid} className="link-button" />
    </span>
  );
}

function Folio({ uuid }: { uuid: string }) {
  return (
    <span>
      {words.order.folio} <code>{uuid}</code> <CopyButton text={uuid} />
    </span>
  );
}
