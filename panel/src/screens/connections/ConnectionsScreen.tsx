import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { type Output, organizationId } from '../../client.ts';
import { useMay } from '../../frame/use-frame.ts';
import { importsOf } from '../../imports.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { FailureNote, factorAddress } from '../../parts/FailureNote.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { OPENED, useWayBack } from '../../parts/use-way-back.ts';
import { isAwaited, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { homeWords } from '../home/words.ts';
import { Account } from './Account.tsx';
import { ConnectPanel, isOpenHere } from './ConnectPanel.tsx';
import { NotOpen } from './NotOpen.tsx';
import type { ConnectionSearch } from './search.ts';
import { connecting } from './words.ts';

type Way = Output<'connections.ways'>['data'][number];
type FactorLack = NonNullable<Output<'connections.ways'>['factor_lack']>;
type Overview = Output<'connections.overview'>['data'][number];

const AGAIN_EVERY_MS = 5_000;

export const route = createLazyRoute('/conexiones')({ component: ConnectionsScreen });

function ConnectionsScreen() {
  const search = useSearch({ from: '/conexiones' });
  const navigate = useNavigate({ from: '/conexiones' });
  const mayConnect = useMay('connections.connect');
  const set = (next: ConnectionSearch, how = {}) =>
    void navigate({ search: next, resetScroll: false, ...how });
  const close = useWayBack(() => set({}));
  const ways = useRead('connections.ways', {});
  const accounts = useRead('connections.overview', {}, { againEveryMs: AGAIN_EVERY_MS });
  const imports = useRead('connections.imports', {}, { againEveryMs: AGAIN_EVERY_MS });
  const failure = ways.error ?? accounts.error;
  // A progress that comes after its account would move those below.
  const isRead = ways.data !== undefined && accounts.data !== undefined;
  const isLoading = !failure && (!isRead || isAwaited(imports));
  const {
    data: all = [],
    factor_lack: factorLack = null,
    support_email: supportEmail = null,
  } = ways.data ?? {};
  const { data: connectedAccounts = [] } = accounts.data ?? {};
  const { data: underWay = [] } = imports.data ?? {};
  const connected = wayOf(all, search.conectada);
  return (
    <section className="screen wide" aria-busy={isLoading}>
      <h1>{words.connections.title}</h1>
      <p className="faint">{words.connections.intro}</p>
      {factorLack && <p>{connecting.factor[factorLack]}</p>}
      {connected && <Connected way={connected} />}
      {failure && (
        <FailureNote
          failure={failure}
          onAgain={() => void Promise.all([ways.refetch(), accounts.refetch()])}
        />
      )}
      {isLoading && <p role="status">{words.parts.loading}</p>}
      {accounts.data?.data.length === 0 && <EmptyState text={words.connections.empty} />}
      {!isLoading && isRead && (
        <Groups
          all={all}
          accounts={connectedAccounts}
          imports={underWay}
          supportEmail={supportEmail}
          mayConnect={mayConnect}
          onConnect={(wanted) => (factorLack ? confirm(factorLack, wanted) : set(wanted, OPENED))}
        />
      )}
      <ConnectPanel
        way={isLoading || !mayConnect ? null : wayOf(all, search.conectar)}
        account={accountOf(connectedAccounts, search)}
        factorLack={factorLack}
        supportEmail={supportEmail}
        onClose={close}
        onConnected={(service) => set({ conectada: service }, { replace: true })}
      />
    </section>
  );
}

/** The account is connected: what comes of it. */
function Connected({ way: { name, is_carrier } }: { way: Way }) {
  const { connections } = words;
  return (
    <p className="notice notice-good" role="status">
      {connections.connected(name)}{' '}
      <PanelLink address={`/panel/${organizationId}/${is_carrier ? 'envios' : 'ordenes'}`}>
        {is_carrier ? homeWords.seeShipments : connections.seeOrders}
      </PanelLink>
    </p>
  );
}

/** Goes at once where the second factor is asked for, and comes back to the form. */
function confirm(factorLack: FactorLack, wanted: ConnectionSearch): void {
  const back = `/panel/${organizationId}/conexiones?${new URLSearchParams({ ...wanted })}`;
  location.assign(factorAddress(factorLack, back));
}

function wayOf(ways: readonly Way[], wanted: string | undefined): Way | null {
  return ways.find(({ service }) => service === wanted) ?? null;
}

/** The account that is connected again; null = another one is. */
function accountOf(all: readonly Overview[], { conectar, cuenta }: ConnectionSearch) {
  return all.find((one) => one.service === conectar && one.account_id === cuenta) ?? null;
}

interface GroupsProps extends Omit<ServiceProps, 'way' | 'onConnect'> {
  readonly all: readonly Way[];
  readonly onConnect: (wanted: ConnectionSearch) => void;
}

/** The marketplaces, then the carriers, each with its accounts. */
function Groups({ all, accounts, imports, onConnect, ...rest }: GroupsProps) {
  const groups = [
    { title: words.connections.marketplaces, ways: all.filter((way) => !way.is_carrier) },
    { title: words.connections.carriers, ways: all.filter((way) => way.is_carrier) },
  ];
  return groups.map((group) => (
    <section key={group.title}>
      <h2 className="group-title">{group.title}</h2>
      <ul className="services">
        {group.ways.map((way) => (
          <Service
            key={way.service}
            way={way}
            accounts={accounts.filter(({ service }) => service === way.service)}
            imports={imports.filter(({ service }) => service === way.service)}
            {...rest}
            onConnect={(cuenta) => onConnect({ conectar: way.service, ...(cuenta && { cuenta }) })}
          />
        ))}
      </ul>
    </section>
  ));
}

interface ServiceProps {
  readonly way: Way;
  readonly accounts: readonly Overview[];
  readonly imports: Output<'connections.imports'>['data'];
  /** Null = the operator names none. */
  readonly supportEmail: string | null;
  readonly mayConnect: boolean;
  /** @param cuenta the account that is connected again; absent = another one */
  readonly onConnect: (cuenta?: string) => void;
}

function Service({ way, accounts, imports, supportEmail, mayConnect, onConnect }: ServiceProps) {
  const isOpen = isOpenHere(way);
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
          imports={importsOf(imports, account)}
          serviceName={way.name}
          hasOrders={!way.is_carrier}
          onReconnect={() => onConnect(account.account_id)}
        />
      ))}
      {isOpen && mayConnect && (
        <button
          className={accounts.length === 0 ? 'button' : 'button quiet'}
          type="button"
          onClick={() => onConnect()}
          aria-label={`${connect}: ${way.name}`}
        >
          {connect}
        </button>
      )}
      {!isOpen && accounts.length === 0 && <NotOpen name={way.name} supportEmail={supportEmail} />}
    </li>
  );
}
