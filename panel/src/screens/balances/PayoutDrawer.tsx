import { Fragment } from 'react';
import { AccountName } from '../../parts/AccountName.tsx';
import { ExportLink } from '../../parts/ExportLink.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { OrderLink } from '../../parts/OrderLink.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { movementKinds, payoutWords } from '../../payout-words.ts';
import { useList } from '../../queries.ts';
import { settlementStatuses, words } from '../../words.ts';
import './balances.css';
import { PayoutDates } from './PayoutDates.tsx';
import { type PayoutSearch, payoutOf } from './search.ts';
import { PAYOUT_TONES } from './tones.ts';

interface DrawerProps {
  readonly search: PayoutSearch;
  readonly onClose: () => void;
}

/** One payout, over the list: what it is made of, to the cent. */
export function PayoutDrawer({ search, onClose }: DrawerProps) {
  const payout = payoutOf(search);
  return (
    <SidePanel isOpen={payout !== null} title={payoutWords.one(payout?.id ?? '')} onClose={onClose}>
      {payout && <Payout payout={payout} />}
    </SidePanel>
  );
}

function Payout({ payout }: { payout: Payout }) {
  const list = useList('payouts.get', payout);
  const { nameOf } = useServices();
  const found = list.first;
  const failed = list.failure && <FailureNote failure={list.failure} onAgain={list.again} />;
  if (!found) return failed ?? <p role="status">{words.parts.loading}</p>;
  const { status, currency, net, reference } = found.payout;
  const statusWord = settlementStatuses[status] ?? status;
  const money = (amount: number) => <Money amount={amount} currency={currency} />;
  return (
    <div className="details">
      <p className="details-head">
        <strong>{money(net)}</strong>
      </p>
      <p>
        <StatusBadge tone={PAYOUT_TONES[status] ?? 'idle'} word={statusWord} />
      </p>
      <p className="faint">
        {nameOf(payout.marketplace)} ·{' '}
        <AccountName service={payout.marketplace} id={payout.account_id} />
        {reference !== null && reference !== payout.id && ` · ${payoutWords.reference(reference)}`}
      </p>
      <PayoutDates dates={found.payout} marketplace={nameOf(payout.marketplace)} />
      {found.difference === null && <p className="faint">{payoutWords.unknown}</p>}
      {found.difference === 0 && <p role="status">{payoutWords.matched}</p>}
      {found.difference !== null && found.difference !== 0 && isFinal(status) && (
        <p role="alert">
          {payoutWords.difference} {money(found.difference)}
        </p>
      )}
      {found.difference !== null && found.difference !== 0 && !isFinal(status) && (
        <p className="faint">
          {payoutWords.growing} {money(found.difference)}
        </p>
      )}
      {found.difference !== null && (
        <dl className="pairs payout-sums">
          {found.carried !== null && (
            <>
              <dt>{payoutWords.carried}</dt>
              <dd>{money(found.carried)}</dd>
            </>
          )}
          {found.sums.map(({ kind, amount }) => (
            <Sum key={kind} title={movementKinds[kind] ?? kind} amount={money(amount)} />
          ))}
          {found.left !== null && (
            <>
              <dt>{payoutWords.left}</dt>
              <dd>{money(-found.left)}</dd>
            </>
          )}
          <dt>{statusWord}</dt>
          <dd>
            <strong>{money(net)}</strong>
          </dd>
        </dl>
      )}
      <Lines lines={list.rows} money={money} payout={payout} />
      {failed}
      {list.hasMore && !failed && (
        <button type="button" className="button quiet" onClick={list.loadMore}>
          {payoutWords.more}
        </button>
      )}
      {list.rows.length > 0 && (
        <p className="acts">
          <ExportLink of="payout_lines" payout={payout} />
        </p>
      )}
    </div>
  );
}

/** Movements of a payout that is not paid yet may still come in. */
function isFinal(status: string): boolean {
  return status !== 'expected' && status !== 'pending';
}

type Payout = NonNullable<ReturnType<typeof payoutOf>>;

function Sum({ title, amount }: { title: string; amount: React.ReactNode }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>{amount}</dd>
    </>
  );
}

/** Movements without an order: what they are, and how the marketplace calls them. */
function NativeLine({ line: { kind, native_type: native } }: { line: Lines[number] }) {
  const word = kind === null ? undefined : movementKinds[kind];
  if (word === undefined) return <strong>{native}</strong>;
  return (
    <>
      <strong>{word}</strong> <code className="faint">{native}</code>
    </>
  );
}

type Lines = ReturnType<typeof useList<'payouts.get'>>['rows'];

function Lines({
  lines,
  money,
  payout,
}: {
  lines: Lines;
  money: (amount: number) => React.ReactNode;
  payout: Payout;
}) {
  if (lines.length === 0) return null;
  const { marketplace, account_id, id } = payout;
  const origin = new URLSearchParams({ marketplace, cuenta: account_id, pago: id });
  return (
    <>
      <h3>{payoutWords.lines}</h3>
      <ul className="items">
        {lines.map((line) => (
          <li key={`${line.order_id} ${line.native_type}`}>
            <div>
              {line.order_id === null ? (
                <NativeLine line={line} />
              ) : (
                <OrderLink
                  order={{ order_id: line.order_id, marketplace, account_id }}
                  payout={origin}
                />
              )}
              <span className="faint">
                {payoutWords.parts(line).map(([title, amount], at) => (
                  <Fragment key={title}>
                    {at > 0 && ' · '}
                    <span className="kept">
                      {title} {money(amount)}
                    </span>
                  </Fragment>
                ))}
              </span>
            </div>
            <div className="number">{money(line.net)}</div>
          </li>
        ))}
      </ul>
    </>
  );
}
