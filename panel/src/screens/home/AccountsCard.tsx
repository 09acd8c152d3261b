import { organizationId } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { importsOf } from '../../imports.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { ImportProgress } from '../../parts/ImportProgress.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { useServices } from '../../parts/use-services.ts';
import { Age } from '../../parts/When.tsx';
import { isAwaited, useChange, useRead } from '../../queries.ts';
import { sampleWords } from '../../sample-words.ts';
import { AccountBadge } from '../connections/AccountBadge.tsx';
import { homeWords } from './words.ts';

const AGAIN_EVERY_MS = 5_000;

/** The age of every account's last success, always in sight, and how far its first import is. */
export function AccountsCard() {
  const { data, error, refetch } = useRead('connections.list', {});
  const { nameOf, accountNameOf } = useServices();
  const imports = useRead('connections.imports', {}, { againEveryMs: AGAIN_EVERY_MS });
  // A progress that comes after its account would move those below.
  const isKnown = data !== undefined && !isAwaited(imports);
  const accounts = (data?.data ?? []).filter(({ state }) => state !== 'disconnected');
  return (
    <section className="tile tile-wide" aria-labelledby="accounts">
      <h2 id="accounts">{homeWords.accounts}</h2>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !isKnown && <p className="ghost" />}
      {isKnown && accounts.length === 0 && <NoAccounts />}
      <ul className="accounts">
        {(isKnown ? accounts : []).map(({ service, account_id, name, state, last_sync_at }) => {
          const [importing] = importsOf(imports.data?.data ?? [], { service, account_id });
          return (
            <li key={`${service} ${account_id}`}>
              <ServiceMark name={accountNameOf({ service, name })} of={nameOf(service)} />
              <AccountBadge
                state={state}
                isImporting={importing !== undefined}
                isNew={last_sync_at === null}
              />
              <span className="faint">
                <Age at={last_sync_at} never={homeWords.never} />
              </span>
              {importing && <ImportProgress of={importing} service={nameOf(service)} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Connecting is the next action; samples show beforehand what it brings. */
function NoAccounts() {
  const { organization, operations } = useFrame().data ?? {};
  const make = useChange('samples.make', {
    onSuccess: ({ address }) => location.assign(address),
    isLeaving: true,
  });
  const isGoing = make.isPending || make.isSuccess;
  if (organization?.is_sample) return <EmptyState text={sampleWords.accounts} />;
  if (!operations?.includes('connections.connect'))
    return <EmptyState text={homeWords.noAccounts} />;
  return (
    <EmptyState text={homeWords.noAccounts}>
      <p className="acts">
        <PanelLink className="button" address={`/panel/${organizationId}/conexiones`}>
          {homeWords.connect}
        </PanelLink>
        <BusyButton className="button quiet" isBusy={isGoing} onClick={() => make.mutate({})}>
          {isGoing ? sampleWords.making : sampleWords.see}
        </BusyButton>
      </p>
      {make.error && (
        <FailureNote
          failure={make.error}
          title={sampleWords.notMade}
          onAgain={() => make.mutate({})}
        />
      )}
    </EmptyState>
  );
}
