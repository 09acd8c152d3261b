import { FailureNote } from '../../parts/FailureNote.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { Age } from '../../parts/When.tsx';
import { useChange, useRead } from '../../queries.ts';
import { states, words } from '../../words.ts';
import { TONES } from '../connections/tones.ts';

const AGAIN_EVERY_MS = 30_000;

/** Accounts in trouble first, then the alerts. */
export function AttentionCard({ calls }: { calls: ReadonlySet<string> }) {
  const hasAlerts = calls.has('alerts.list');
  const { nameOf } = useServices();
  const accounts = useRead('connections.list', {}, { againEveryMs: AGAIN_EVERY_MS });
  const alerts = useRead('alerts.list', {}, { isEnabled: hasAlerts, againEveryMs: AGAIN_EVERY_MS });
  const troubled = (accounts.data?.data ?? []).filter(
    ({ state }) => state !== 'ok' && state !== 'disconnected',
  );
  const all = alerts.data?.data ?? [];
  const failure = accounts.error ?? alerts.error;
  const isKnown = accounts.data !== undefined && (!hasAlerts || alerts.data !== undefined);
  return (
    <section className="tile tile-wide" aria-labelledby="attention">
      <h2 id="attention">{words.home.attention}</h2>
      {failure && <FailureNote failure={failure} onAgain={() => void accounts.refetch()} />}
      {!failure && !isKnown && <p className="ghost" />}
      {isKnown && troubled.length + all.length === 0 && <p>{words.home.calm}</p>}
      <ul className="items">
        {troubled.map(({ service, account_id, name, state, state_message, last_sync_at }) => (
          <li key={`${service} ${account_id}`}>
            <div>
              <StatusBadge tone={TONES[state]} word={`${nameOf(service)}: ${states[state]}`} />
              <span className="faint">{state_message ?? name}</span>
            </div>
            <div className="number faint">
              <Age at={last_sync_at} never={words.home.never} />
            </div>
          </li>
        ))}
        {all.map(({ kind, subject, message, count, last_at }) => (
          <li key={`${kind} ${subject}`}>
            <div>
              <StatusBadge tone="warn" word={message} />
              {count > 1 && <span className="faint">{words.home.times(count)}</span>}
              {calls.has('alerts.settle') && <Settle kind={kind} subject={subject} />}
            </div>
            <div className="number faint">
              <Age at={last_at} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Settle(alert: { kind: string; subject: string }) {
  const settle = useChange('alerts.settle');
  return (
    <span>
      <button
        type="button"
        className="link-button"
        disabled={settle.isPending}
        onClick={() => settle.mutate({ kind: alert.kind, subject: alert.subject })}
      >
        {settle.isPending ? words.home.settling : words.home.settle}
      </button>
      {settle.error && <span role="alert"> {settle.error.message}</span>}
    </span>
  );
}
