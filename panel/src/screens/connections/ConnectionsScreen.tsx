import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import type { Output } from '../../client.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { isAwaited, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { Account } from './Account.tsx';
import { ConnectPanel } from './ConnectPanel.tsx';
import type { ConnectionSearch } from './search.ts';

type Way = Output<'connections.ways'>['data'][number];
type Overview = Output<'connections.overview'>['data'][number];

const AGAIN_EVERY_MS = 5_000;

export const route = createLazyRoute('/conexiones')({ component: ConnectionsScreen });

function ConnectionsScreen() {
  const search = useSearch({ from: '/conexiones' });
  const navigate = useNavigate({ from: '/conexiones' });
  const set = (next: ConnectionSearch) => void navigate({ search: next, resetScroll: false });
  const ways = useRead('connections.ways', {});
  const accounts = useRead('connections.overview', {}, { againEveryMs: AGAIN_EVERY_MS });
  const imports = useRead('connections.imports', {}, { againEveryMs: AGAIN_EVERY_MS });
  const failure = ways.error ?? accounts.error;
  // A progress that comes after its account would move those below.
  const isLoading = !failure && (!ways.data || !accounts.data || isAwaited(imports));
  const all = ways.data?.data ?? [];
  const nameOf = (slug: string | undefined) => all.find(({ service }) => service === slug)?.name;
  const groups = [
    { title: words.connections.marketplaces, ways: all.filter((way) => !way.is_carrier) },
    { title: words.connections.carriers, ways: all.filter((way) => way.is_carrier) },
  ];
  return (
    <section className="screen wide" aria-busy={isLoading}>
      <h1>{words.connections.title}</h1>
      <p className="faint">{words.connections.intro}</p>
      {nameOf(search.conectada) && (
        <p className="notice notice-good" role="status">
          {words.connections.connected(nameOf(search.conectada) ?? '')}
        </p>
      )}
      {failure && (
        <FailureNote
          failure={failure}
          onAgain={() => void Promise.all([ways.refetch(), accounts.refetch()])}
        />
      )}
      {isLoading && <p role="status">{words.parts.loading}</p>}
      {accounts.data?.data.length === 0 && <EmptyState text={words.connections.empty} />}
      {!isLoading &&
        !failure &&
        groups.map((group) => (
          <section key={group.title}>
            <h2 className="group-title">{group.title}</h2>
            <ul className="services">
              {group.ways.map((way) => (
                <Service
                  key={way.service}
                  way={way}
                  accounts={(accounts.data?.data ?? []).filter(
                    ({ service }) => service === way.service,
                  )}
                  imports={(imports.data?.data ?? []).filter(
                    ({ service }) => service === way.service,
                  )}
                  onConnect={(cuenta) => set({ conectar: way.service, cuenta })}
                />
              ))}
            </ul>
          </section>
        ))}
      <ConnectPanel
        way={isLoading ? null : (all.find(({ service }) => service === search.conectar) ?? null)}
        account={accounts.data?.data.find((one) => isChosen(one, search)) ?? null}
        factorLack={ways.data?.factor_lack ?? null}
        onClose={() => set({})}
        onConnected={(service) => set({ conectada: service })}
      />
    </section>
  );
}

function isChosen({ service, account_id }: Overview, { conectar, cuenta }: ConnectionSearch) {
  return service === conectar && account_id === cuenta;
}

interface ServiceProps {
  readonly way: Way;
  readonly accounts: readonly Overview[];
  readonly imports: Output<'connections.imports'>['data'];
  /** @param cuenta the account that is connected again; absent = another one */
  readonly onConnect: (cuenta?: string) => void;
}

function Service({ way, accounts, imports, onConnect }: ServiceProps) {
  const isOpen = way.consent !== null || way.form !== null;
  const { connections } = words;
  const connect = accounts.length === 0 ? connections.connect : connections.connectAnother;
  return (
    <li className="tile">
      <h3>
        <ServiceMark name={way.name} />
      </h3>
      {accounts.length === 0 && <p className="faint">{connections.none}</p>}
      {accounts.map((account) => (
        <Account
          key={account.id}
          account={account}
          imports={imports.filter(({ account_id }) => account_id === account.account_id)}
          serviceName={way.name}
          hasOrders={!way.is_carrier}
          onReconnect={() => onConnect(account.account_id)}
        />
      ))}
      {isOpen ? (
        <button
          className={accounts.length === 0 ? 'button' : 'button quiet'}
          type="button"
          onClick={() => onConnect()}
          aria-label={`${connect}: ${way.name}`}
        >
          {connect}
        </button>
      ) : (
        accounts.length === 0 && <p className="faint">{connections.notOpen(way.name)}</p>
      )}
    </li>
  );
}
