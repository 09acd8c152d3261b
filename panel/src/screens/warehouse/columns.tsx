import type { Output } from '../../client.ts';
import { CANCELLATION_REQUESTED, openWords } from '../../open-words.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { When } from '../../parts/When.tsx';
import { openTags } from '../../words.ts';
import { goodsOf, isCancellationRequested, ordersOf } from './line-names.ts';
import type { Tab } from './search.ts';
import { LINE_TONES, lackWords, lineStates, warehouseWords } from './words.ts';

type Line = Output<'lines.list'>['data'][number];

/** A part of the work shows no column that says the same in every row. */
export function columnsOf(tab: Tab, nameOf: (slug: string) => string): Column<Line>[] {
  const isHidden = (key: string) =>
    (key === 'status' && tab !== 'otras') || (key === 'total' && tab === 'sin-guia');
  return columnsWith(tab, nameOf).filter(({ key }) => !isHidden(key));
}

/** The first of what the goods lack; a missing address has a column of its own. */
function ObstacleBadge({ lacks }: Pick<Line, 'lacks'>) {
  const [code] = lacks.flatMap(({ code }) => (code === 'missing_address' ? [] : [code]));
  if (!code) return null;
  return (
    <>
      <StatusBadge tone="warn" word={lackWords.short[code]} />
      {' · '}
    </>
  );
}

function columnsWith(tab: Tab, nameOf: (slug: string) => string): Column<Line>[] {
  const hasLeft = tab === 'transferidas';
  return [
    {
      key: 'id',
      title: warehouseWords.orders,
      width: '11rem',
      cell: (line) => <code title={ordersOf(line)}>{ordersOf(line)}</code>,
    },
    {
      key: 'date',
      title: hasLeft ? warehouseWords.left : warehouseWords.waiting,
      width: '11.25rem',
      cell: ({ staged_at, transferred_at }) => (
        <When at={hasLeft ? (transferred_at ?? staged_at) : staged_at} />
      ),
    },
    {
      key: 'marketplace',
      title: warehouseWords.marketplace,
      width: '9.5rem',
      cell: ({ marketplace }) => <ServiceMark name={nameOf(marketplace)} />,
    },
    {
      key: 'status',
      title: warehouseWords.state,
      width: '11rem',
      cell: ({ state }) => <StatusBadge tone={LINE_TONES[state]} word={lineStates[state]} />,
    },
    {
      key: 'items',
      title: warehouseWords.goods,
      cell: (line) => (
        <span title={goodsOf(line)}>
          {isCancellationRequested(line) && (
            <span className="open-tag" title={openTags[CANCELLATION_REQUESTED]}>
              {openWords.kinds[CANCELLATION_REQUESTED]}
            </span>
          )}
          <ObstacleBadge lacks={line.lacks} />
          {goodsOf(line)}
        </span>
      ),
    },
    {
      key: 'buyer',
      title: warehouseWords.place,
      width: '11rem',
      cell: ({ destination }) =>
        destination ? (
          `${destination.city} ${destination.zipcode}`
        ) : (
          <span className="faint">{warehouseWords.noPlace}</span>
        ),
    },
    {
      key: 'total',
      title: warehouseWords.guide,
      width: '11rem',
      cell: ({ tracking_number }) =>
        tracking_number === null ? (
          <span className="faint">{warehouseWords.noGuide}</span>
        ) : (
          <code title={tracking_number}>{tracking_number}</code>
        ),
    },
  ];
}
