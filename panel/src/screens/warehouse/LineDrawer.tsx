import type { Output } from '../../client.ts';
import { CANCELLATION_REQUESTED, openWords } from '../../open-words.ts';
import { AccountName } from '../../parts/AccountName.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { OrderLink } from '../../parts/OrderLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { ShipmentLink } from '../../parts/ShipmentLink.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { When } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { openTags, statuses, words } from '../../words.ts';
import { Attempts } from './Attempts.tsx';
import { guideWords } from './guide-words.ts';
import { LineActs } from './LineActs.tsx';
import { LineForm } from './LineForm.tsx';
import { isCancellationRequested, ordersOf } from './line-names.ts';
import { actionNames, LINE_TONES, lineStates, warehouseWords } from './words.ts';

type Line = Output<'lines.get'>['data'];

const AGAIN_EVERY_MS = 10_000;

interface LineDrawerProps {
  readonly lineId: string;
  readonly onClose: () => void;
  /** Back to the review that the line was opened from; undefined = from elsewhere. */
  readonly onReview: (() => void) | undefined;
  /** Reviews a batch of this line alone. */
  readonly onPlan: (line: Line) => void;
}

/** One line, over the list; the address names it. */
export function LineDrawer({ lineId, onClose, onReview, onPlan }: LineDrawerProps) {
  const { data, error, refetch } = useRead(
    'lines.get',
    { line_id: lineId },
    { isEnabled: lineId !== '', againEveryMs: AGAIN_EVERY_MS },
  );
  const title = data ? warehouseWords.line(ordersOf(data.data)) : warehouseWords.title;
  return (
    <SidePanel isOpen={lineId !== ''} title={title} onClose={onClose}>
      {onReview && (
        <p>
          <button type="button" className="link-button" onClick={onReview}>
            {guideWords.backToReview}
          </button>
        </p>
      )}
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p role="status">{words.parts.loading}</p>}
      {data && <Details key={lineId} line={data.data} onPlan={() => onPlan(data.data)} />}
    </SidePanel>
  );
}

function Details({ line, onPlan }: { line: Line; onPlan: () => void }) {
  const { nameOf } = useServices();
  const isEditable = line.moves.includes('edit');
  return (
    <div className="details">
      <p className="details-head">
        <StatusBadge tone={LINE_TONES[line.state]} word={lineStates[line.state]} />
        {line.own_fleet && <span className="plan">{warehouseWords.ownFleet}</span>}
      </p>
      {isCancellationRequested(line) && (
        <p className="notice">
          <strong>{openTags[CANCELLATION_REQUESTED]}.</strong>{' '}
          {openWords.meanings[CANCELLATION_REQUESTED]}{' '}
          {openWords.attend(CANCELLATION_REQUESTED, nameOf(line.marketplace))}
        </p>
      )}
      <LineActs line={line} onPlan={onPlan} />
      <Facts line={line} isEditable={isEditable} />
      <h3>{warehouseWords.contents}</h3>
      {line.orders.map((order) => (
        <OrderOf key={order.id} order={order} line={line} />
      ))}
      {isEditable && <LineForm line={line} />}
      <Attempts line={line} />
      <Record actions={line.actions} />
    </div>
  );
}

function Facts({ line, isEditable }: { line: Line; isEditable: boolean }) {
  const { nameOf } = useServices();
  const { destination } = line;
  return (
    <dl className="pairs">
      <dt>{warehouseWords.marketplace}</dt>
      <dd>
        <ServiceMark name={nameOf(line.marketplace)} />{' '}
        <span className="faint">
          <AccountName service={line.marketplace} id={line.account_id} />
        </span>
      </dd>
      <dt>{warehouseWords.waiting}</dt>
      <dd>
        <When at={line.staged_at} />
      </dd>
      <Numbers line={line} />
      {!isEditable && (
        <>
          <dt>{warehouseWords.packages}</dt>
          <dd>{line.packages}</dd>
          <dt>{warehouseWords.place}</dt>
          <dd>
            {destination === null ? (
              <span className="faint">{warehouseWords.noPlace}</span>
            ) : (
              addressOf(destination)
            )}
          </dd>
        </>
      )}
    </dl>
  );
}

/** The two numbers of a guide, by the names that its shipment has for them. */
function Numbers({ line }: { line: Line }) {
  const { nameOf } = useServices();
  const { tracking_number: tracking, guide_number: guide, carrier } = line;
  if (tracking === null)
    return (
      <>
        <dt>{warehouseWords.guide}</dt>
        <dd className="faint">{warehouseWords.noGuide}</dd>
      </>
    );
  return (
    <>
      <dt>{warehouseWords.tracking}</dt>
      <dd>
        {carrier && nameOf(carrier)} <code>{tracking}</code> <CopyButton text={tracking} />{' '}
        {line.tracking_source === 'manual' ? (
          <span className="faint">{warehouseWords.byHand}</span>
        ) : (
          <ShipmentLink tracking={tracking}>{warehouseWords.seeShipment}</ShipmentLink>
        )}
      </dd>
      {guide !== null && guide !== tracking && (
        <>
          <dt>{warehouseWords.guide}</dt>
          <dd>
            <code>{guide}</code>
          </dd>
        </>
      )}
    </>
  );
}

function addressOf(to: NonNullable<Line['destination']>): string {
  const { name, street, number, colony, municipality, city, state, zipcode, phone } = to;
  return [
    name,
    `${street} ${number}`,
    colony,
    municipality,
    `${zipcode} ${city}`,
    state,
    phone && warehouseWords.phone(phone),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

interface OrderOfProps {
  readonly order: Line['orders'][number];
  readonly line: Line;
}

function OrderOf({ order: { id, status, items }, line }: OrderOfProps) {
  const { marketplace, account_id } = line;
  return (
    <ul className="items" aria-label={`${words.orders.id} ${id}`}>
      {items.map(({ title, quantity, sku }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines may sell the same item
        <li key={at}>
          <div>
            <strong>{warehouseWords.pieces(quantity, title)}</strong>
            <span className="faint">{sku && `${words.order.sku} ${sku}`}</span>
          </div>
          <div className="number">
            <code>
              <OrderLink order={{ order_id: id, marketplace, account_id }} />
            </code>
            <span className="faint">{statuses[status]}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Record({ actions }: Pick<Line, 'actions'>) {
  return (
    <>
      <h3>{warehouseWords.record}</h3>
      {actions.length === 0 && <p className="faint">{warehouseWords.noRecord}</p>}
      <ol className="timeline">
        {actions.toReversed().map(({ at, action, by }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two acts may be of one instant
          <li key={index}>
            <span>
              {actionNames[action] ?? action}{' '}
              <span className="faint">{by ?? warehouseWords.itself}</span>
            </span>
            <span className="faint">
              <When at={at} />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
