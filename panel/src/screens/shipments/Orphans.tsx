import type { Output } from '../../client.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { PagedTable } from '../../parts/PagedTable.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { NativeStatus, StatusBadge } from '../../parts/StatusBadge.tsx';
import { When } from '../../parts/When.tsx';
import { useList } from '../../queries.ts';
import { words } from '../../words.ts';
import { CATEGORY_TONES, carriers, categories, shipmentWords, sources } from './words.ts';

type Orphan = Output<'shipments.orphans'>['data'][number];

const AGAIN_EVERY_MS = 30_000;

/** Events that arrived before their shipment is known. */
export function Orphans({ onShipments }: { onShipments: () => void }) {
  const list = useList('shipments.orphans', {}, { againEveryMs: AGAIN_EVERY_MS });
  return (
    <>
      <p className="section-head">{shipmentWords.orphansHelp}</p>
      <PagedTable
        list={list}
        countOf={shipmentWords.orphanCount}
        empty={
          <EmptyState text={shipmentWords.noOrphans}>
            <button type="button" className="button" onClick={onShipments}>
              {shipmentWords.seeShipments}
            </button>
          </EmptyState>
        }
        label={shipmentWords.views['sin-envio']}
        columns={COLUMNS}
        keyOf={({ carrier, tracking_number, code, occurred_at }) =>
          `${carrier} ${tracking_number} ${code} ${occurred_at}`
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<Orphan>[] = [
  {
    key: 'id',
    title: shipmentWords.tracking,
    width: '11rem',
    cell: ({ tracking_number }) => <code title={tracking_number}>{tracking_number}</code>,
  },
  {
    key: 'stock',
    title: shipmentWords.occurred,
    isNamed: true,
    width: '11.25rem',
    cell: ({ occurred_at }) => <When at={occurred_at} />,
  },
  {
    key: 'status',
    title: shipmentWords.carrier,
    width: '9rem',
    cell: ({ carrier }) => <ServiceMark name={carriers[carrier]} />,
  },
  {
    key: 'total',
    title: shipmentWords.event,
    width: '15rem',
    // A code without a word of ours is all that is known of the event.
    cell: ({ status, code, carrier }) =>
      status === null ? (
        <span title={shipmentWords.unknownCode}>
          <NativeStatus source={carriers[carrier]} raw={code} />
        </span>
      ) : (
        <StatusBadge tone={CATEGORY_TONES[status]} word={categories[status]} />
      ),
  },
  {
    key: 'items',
    title: shipmentWords.detail,
    cell: ({ description, location }) =>
      [description, location].filter(Boolean).join(' · ') || words.parts.none,
  },
  {
    key: 'marketplace',
    title: shipmentWords.source,
    width: '6rem',
    cell: ({ source }) => sources[source],
  },
  {
    key: 'aside',
    title: shipmentWords.received,
    width: '11.25rem',
    cell: ({ recorded_at }) => <When at={recorded_at} />,
  },
];
