import { createLazyRoute } from '@tanstack/react-router';
import type { Output } from '../../client.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { Age } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { states, words } from '../../words.ts';
import { TONES } from './tones.ts';

type Connections = Output<'connections.list'>;
const AGAIN_EVERY_MS = 30_000;

export const route = createLazyRoute('/conexiones')({ component: ConnectionsScreen });

function ConnectionsScreen() {
  const { data, error, refetch } = useRead(
    'connections.list',
    {},
    { againEveryMs: AGAIN_EVERY_MS },
  );
  return (
    <section className="screen wide">
      <h1>{words.connections.title}</h1>
      <p className="faint">{words.connections.intro}</p>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p role="status">{words.parts.loading}</p>}
      {data && (
        <ul className="services">
          {data.services.map(({ service, name }) => (
            <li key={service} className="tile">
              <h2>
                <ServiceMark name={name} />
              </h2>
              <Accounts of={data.data.filter((account) => account.service === service)} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Accounts({ of }: { of: Connections['data'] }) {
  if (of.length === 0) return <p className="faint">{words.connections.none}</p>;
  return of.map(({ account_id, name, state, state_message, last_sync_at }) => (
    <div key={account_id} className="account">
      <p>
        <strong>{name}</strong>
      </p>
      <p>
        <StatusBadge tone={TONES[state]} word={states[state]} />
      </p>
      {state_message && <p>{state_message}</p>}
      <p className="faint">
        {words.connections.last}: <Age at={last_sync_at} never={words.connections.never} />
      </p>
    </div>
  ));
}
