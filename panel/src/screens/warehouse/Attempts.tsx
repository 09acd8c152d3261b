import type { Output } from '../../client.ts';
import { Money } from '../../parts/Money.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { When } from '../../parts/When.tsx';
import { ATTEMPT_TONES, attemptStates, warehouseWords } from './words.ts';

type Line = Output<'lines.get'>['data'];
type Attempt = Line['attempts'][number];

/** Every try to obtain a guide for the line, the newest first. */
export function Attempts({ line }: { line: Line }) {
  return (
    <>
      <h3>{warehouseWords.attempts}</h3>
      {line.attempts.length === 0 && <p className="faint">{warehouseWords.noAttempts}</p>}
      <ul className="items">
        {line.attempts.toReversed().map((attempt) => (
          <li key={attempt.attempt_id}>
            <AttemptOf attempt={attempt} />
          </li>
        ))}
      </ul>
    </>
  );
}

function AttemptOf({ attempt }: { attempt: Attempt }) {
  const { nameOf } = useServices();
  const { state, tracking, error, carrier, reference, cancelled_at, amount, currency } = attempt;
  const word = cancelled_at === null ? attemptStates[state] : warehouseWords.cancelled;
  return (
    <>
      <div>
        <StatusBadge tone={cancelled_at === null ? ATTEMPT_TONES[state] : 'idle'} word={word} />
        {tracking && <code>{tracking}</code>}
        {error && <span>{error.message}</span>}
        <span className="faint">
          {nameOf(carrier)} · {warehouseWords.reference} <code>{reference}</code>
        </span>
      </div>
      <div className="number faint">
        <When at={cancelled_at ?? attempt.settled_at ?? attempt.sent_at ?? attempt.queued_at} />
        {typeof amount === 'number' && currency && <Money amount={amount} currency={currency} />}
      </div>
    </>
  );
}
