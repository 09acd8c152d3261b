import { organizationId } from '../../client.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { Age } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { states, words } from '../../words.ts';
import { TONES } from '../connections/tones.ts';

/** The age of every account's last success, always in sight. */
export function AccountsCard() {
  const { data, error, refetch } = useRead('connections.list', {});
  const { nameOf, accountNameOf } = useServices();
  const accounts = (data?.data ?? []).filter(({ state }) => state !== 'disconnected');
  return (
    <section className="tile tile-wide" aria-labelledby="accounts">
      <h2 id="accounts">{words.home.accounts}</h2>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p className="ghost" />}
      {data && accounts.length === 0 && (
        <EmptyState text={words.home.noAccounts}>
          <PanelLink className="button" address={`/panel/${organizationId}/conexiones`}>
            {words.home.connect}
          </PanelLink>
        </EmptyState>
      )}
      <ul className="accounts">
        {accounts.map(({ service, account_id, name, state, last_sync_at }) => (
          <li key={`${service} ${account_id}`}>
            <ServiceMark name={accountNameOf({ service, name })} of={nameOf(service)} />
            <StatusBadge tone={TONES[state]} word={states[state]} />
            <span className="faint">
              <Age at={last_sync_at} never={words.home.never} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
