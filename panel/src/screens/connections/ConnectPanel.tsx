import { useState } from 'react';
import type { Input, Output } from '../../client.ts';
import { Field } from '../../parts/Field.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { useChange } from '../../queries.ts';
import { CredentialForm } from './CredentialForm.tsx';
import { EventAddress } from './EventAddress.tsx';
import { connecting } from './words.ts';

type Way = Output<'connections.ways'>['data'][number];
type Marketplace = Input<'connections.begin-consent'>['marketplace'];

interface ConnectPanelProps {
  /** Null = closed. */
  readonly way: Way | null;
  readonly onClose: () => void;
  readonly onConnected: (service: string) => void;
}

/** How an account of one service is connected. */
export function ConnectPanel({ way, onClose, onConnected }: ConnectPanelProps) {
  return (
    <SidePanel
      isOpen={way !== null}
      title={way ? connecting.title(way.name) : ''}
      onClose={onClose}
    >
      {way && <Ways key={way.service} way={way} onConnected={() => onConnected(way.service)} />}
    </SidePanel>
  );
}

function Ways({ way, onConnected }: { way: Way; onConnected: () => void }) {
  const { service, name, consent, form, event_address } = way;
  const typed = form && (
    <CredentialForm service={service} form={form} name={name} onConnected={onConnected} />
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
}

function Consent({ marketplace, name, asksForStore }: ConsentProps) {
  const [store, setStore] = useState('');
  const begin = useChange('connections.begin-consent');
  const submit = () =>
    begin.mutate(
      { marketplace, store: asksForStore ? store : null },
      { onSuccess: ({ address }) => location.assign(address) },
    );
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
          onChange={setStore}
        />
      )}
      {begin.error && begin.error.param !== 'store' && (
        <p className="fault" role="alert">
          {begin.error.message}
        </p>
      )}
      <button className="button" type="submit" disabled={isLeaving}>
        {isLeaving ? connecting.leaving(name) : connecting.goOn(name)}
      </button>
    </form>
  );
}
