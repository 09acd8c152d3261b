import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { ConnectLink } from '../../parts/ConnectLink.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { useServices } from '../../parts/use-services.ts';
import { OPENED, useWayBack } from '../../parts/use-way-back.ts';
import { isAwaited, useRead } from '../../queries.ts';
import { PayoutDrawer } from './PayoutDrawer.tsx';
import { Purse } from './Purse.tsx';
import { PAYOUTS, Settlements } from './Settlements.tsx';
import type { PayoutSearch } from './search.ts';
import { balanceWords } from './words.ts';

export const route = createLazyRoute('/saldos')({ component: BalancesScreen });

const AGAIN_EVERY_MS = 60_000;

function BalancesScreen() {
  const search = useSearch({ from: '/saldos' });
  const navigate = useNavigate({ from: '/saldos' });
  const set = (next: Partial<PayoutSearch>, how = {}) =>
    void navigate({ search: (former) => ({ ...former, ...next }), resetScroll: false, ...how });
  const close = useWayBack(() =>
    set({ marketplace: undefined, cuenta: undefined, pago: undefined }),
  );
  const balances = useRead('balances.list', {}, { againEveryMs: AGAIN_EVERY_MS });
  const mails = useRead('alerts.mails', {});
  const { error, refetch } = balances;
  // Drawn together: the note on mails would move the balances below.
  const data = isAwaited(mails) ? undefined : balances.data;
  const { nameOf, accountOf } = useServices();
  const isEmpty = data?.data.length === 0 && data.silent.length === 0;
  return (
    <section className="screen wide">
      <div className="screen-head">
        <h1>{balanceWords.title}</h1>
        {data && !isEmpty && <a href={`#${PAYOUTS}`}>{balanceWords.toSettlements}</a>}
      </div>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p className="ghost chart-ghost" />}
      {isEmpty && (
        <EmptyState text={balanceWords.empty}>
          <ConnectLink />
        </EmptyState>
      )}
      <div className="purses">
        {data?.data.map((purse) => (
          <Purse key={purse.key} purse={purse} isMailed={mails.data?.wanted ?? null} />
        ))}
      </div>
      {data && data.data.length > 0 && (
        <details className="why">
          <summary>{balanceWords.why}</summary>
          {balanceWords.reasons.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </details>
      )}
      {data && data.silent.length > 0 && (
        <p className="faint">
          {balanceWords.silent(
            data.silent
              .map(
                ({ service, account_id: id }) => `${nameOf(service)} (${accountOf(service, id)})`,
              )
              .join(', '),
          )}
        </p>
      )}
      {data && !isEmpty && (
        <Settlements search={search} onChange={set} onOpen={(next) => set(next, OPENED)} />
      )}
      <PayoutDrawer search={search} onClose={close} />
    </section>
  );
}
