import type { Input, Output } from '../../client.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { FactorNote, FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useChange, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { CredentialForm } from './CredentialForm.tsx';
import { EventAddress } from './EventAddress.tsx';
import { NotOpen } from './NotOpen.tsx';
import { connecting } from './words.ts';

type Ways = Output<'connections.ways'>;
type Way = Ways['data'][number];
type Account = Output<'connections.overview'>['data'][number];
type Marketplace = Input<'connections.begin-consent'>['marketplace'];

interface ConnectPanelProps {
  /** Null = closed. */
  readonly way: Way | null;
  /** The account that is connected again; null = another one is. */
  readonly account: Account | null;
  /** What the session lacks; known before anything is typed, since a secret is never kept. */
  readonly factorLack: Ways['factor_lack'];
  /** Null = the operator names none. */
  readonly supportEmail: string | null;
  readonly onClose: () => void;
  readonly onConnected: (service: string) => void;
}

/** How an account of one service is connected. */
export function ConnectPanel(props: ConnectPanelProps) {
  const { way, account, factorLack, supportEmail, onClose, onConnected } = props;
  const open = way && isOpenHere(way) ? way : null;
  return (
    <SidePanel isOpen={way !== null} title={way ? titleOf(way, account) : ''} onClose={onClose}>
      {way && !open && <NotOpen name={way.name} supportEmail={supportEmail} />}
      {open && account && <p>{connecting.again}</p>}
      {open && factorLack && (
        <FactorNote lack={factorLack} message={connecting.factor[factorLack]} />
      )}
      {open && !factorLack && (
        <WaysOf
          key={`${open.service} ${account?.id}`}
          way={open}
          account={account}
          onConnected={() => onConnected(open.service)}
        />
      )}
    </SidePanel>
  );
}

/** Whether an account of the service can be connected in this installation. */
export function isOpenHere({ consent, form }: Way): boolean {
  return consent !== null || form !== null;
}

function titleOf({ name }: Way, account: Account | null): string {
  return account ? connecting.againTitle(name, account.name) : connecting.title(name);
}

interface WaysOfProps extends Pick<ConnectPanelProps, 'account'> {
  readonly way: Way;
  readonly onConnected: () => void;
}

/** What an account already has is filled in. */
function WaysOf({ way, account, onConnected }: WaysOfProps) {
  const { service, name, consent, form, event_address } = way;
  const { data, error, refetch } = useRead(
    'connections.known-fields',
    { connection_id: account?.id ?? '' },
    { isEnabled: account !== null },
  );
  if (error) return <FailureNote failure={error} onAgain={() => void refetch()} />;
  if (account && !data) return <p role="status">{words.parts.loading}</p>;
  const known = data?.fields ?? {};
  const draft = account ? account.id : service;
  const accountId = account?.account_id ?? null;
  const typed = form && (
    <CredentialForm
      service={service}
      form={form}
      name={name}
      known={known}
      draft={draft}
      accountId={accountId}
      onConnected={onConnected}
    />
  );
  if (event_address)
    return (
      <ol className="steps">
        <li>
          <h3>{connecting.addressStep}</h3>
          <EventAddress service={service} name={name} isMade={event_address.is_made} />
        </li>
        <li>
          <h3>{connecting.credentialsStep}</h3>
          <p className="faint">{connecting.waiting(name)}</p>
          {typed}
        </li>
      </ol>
    );
  if (!consent) return typed;
  return (
    <>
      <Consent
        marketplace={service as Marketplace}
        name={name}
        asksForStore={consent.asks_for_store}
        knownStore={known.shop ?? ''}
        draft={draft}
        accountId={accountId}
      />
      {typed && (
        <details className="other-way">
          <summary>{connecting.ownApplication}</summary>
          {typed}
        </details>
      )}
    </>
  );
}

interface ConsentProps {
  readonly marketplace: Marketplace;
  readonly name: string;
  readonly asksForStore: boolean;
  readonly knownStore: string;
  /** Under what is typed is kept. */
  readonly draft: string;
  /** The one that is connected again; null = whichever the seller chooses. */
  readonly accountId: string | null;
}

function Consent({ marketplace, name, draft, accountId, ...of }: ConsentProps) {
  const { asksForStore, knownStore } = of;
  const { values, set, clear } = useDraft(`consent:${draft}`, { store: knownStore });
  const { store } = values;
  const begin = useChange('connections.begin-consent', {
    onSuccess({ address }) {
      clear();
      location.assign(address);
    },
  });
  const submit = () =>
    begin.mutate({
      marketplace,
      store: asksForStore ? store : null,
      account_id: accountId,
    });
  const isLeaving = begin.isPending || begin.isSuccess;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p>{connecting.consent(name)}</p>
      {asksForStore && (
        <Field
          label={connecting.store}
          hint={connecting.storeHint}
          value={store}
          fault={begin.error?.param === 'store' ? begin.error.message : null}
          onChange={(value) => set('store', value)}
        />
      )}
      {begin.error && begin.error.param !== 'store' && (
        <FailureNote failure={begin.error} title={connecting.notConnected(name)} />
      )}
      <BusyButton className="button" type="submit" isBusy={isLeaving}>
        {isLeaving ? connecting.leaving(name) : connecting.goOn(name)}
      </BusyButton>
    </form>
  );
}
