import { useEffect, useRef, useState } from 'react';
import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useSteady } from '../../parts/use-steady.ts';
import { Age } from '../../parts/When.tsx';
import { useChange } from '../../queries.ts';
import { alertText, alertWords } from './alert-words.ts';
import { To } from './To.tsx';
import { homeWords } from './words.ts';

type Alert = Output<'alerts.list'>['data'][number];

interface Settled {
  readonly alert: Alert;
  readonly at: string;
}

interface AlertsProps {
  readonly alerts: readonly Alert[];
  readonly maySettle: boolean;
}

/** Of one kind, until its reader wants all. */
const FIRST = 3;

/** The alerts by kind, newest first as the screen opens, and those that the person settled on this screen. */
export function Alerts({ alerts, maySettle }: AlertsProps) {
  const [settled, setSettled] = useState<readonly Settled[]>([]);
  const isOpen = (one: Alert) => alerts.some((other) => keyOf(other) === keyOf(one));
  const kinds = useSteady([...new Set(alerts.map(({ kind }) => kind))], (kind) => kind);
  return (
    <>
      {kinds.map((kind) => (
        <Kind
          key={kind}
          alerts={alerts.filter((one) => one.kind === kind)}
          onSettled={maySettle ? (one) => setSettled((former) => withLast(former, one)) : null}
        />
      ))}
      {settled
        .filter(({ alert }) => !isOpen(alert))
        .map((one) => (
          <Undo key={`${keyOf(one.alert)} ${one.at}`} of={one} />
        ))}
    </>
  );
}

/** An alert that was opened again and settled once more is shown once. */
function withLast(former: readonly Settled[], last: Settled): Settled[] {
  return [...former.filter(({ alert }) => keyOf(alert) !== keyOf(last.alert)), last];
}

function keyOf({ kind, subject }: Alert): string {
  return `${kind} ${subject}`;
}

interface KindProps {
  readonly alerts: readonly Alert[];
  /** Null = the role may not settle one. */
  readonly onSettled: ((settled: Settled) => void) | null;
}

function Kind({ alerts, onSettled }: KindProps) {
  const [isWhole, setWhole] = useState(false);
  const steady = useSteady(alerts, keyOf);
  const shown = isWhole ? steady : steady.slice(0, FIRST);
  return (
    <>
      {shown.map((alert) => {
        const { page, count, last_at } = alert;
        return (
          <li key={keyOf(alert)}>
            <div>
              <StatusBadge tone="warn" word={alertText(alert)} />
              {count > 1 && <span className="faint">{homeWords.times(count)}</span>}
              <span className="acts">
                {page && <To page={page} />}
                {onSettled && <Settle alert={alert} onSettled={(at) => onSettled({ alert, at })} />}
              </span>
            </div>
            <div className="number faint">
              <Age at={last_at} />
            </div>
          </li>
        );
      })}
      {alerts.length > FIRST && (
        <li>
          <button
            type="button"
            className="link-button"
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
          >
            {isWhole ? alertWords.fewer : alertWords.more(countText(alerts.length))}
          </button>
        </li>
      )}
    </>
  );
}

function Settle({ alert, onSettled }: { alert: Alert; onSettled: (at: string) => void }) {
  const settle = useChange('alerts.settle', {
    onSuccess: ({ settled_at: at }) => at && onSettled(at),
  });
  return (
    <span>
      <BusyButton
        className="link-button"
        isBusy={settle.isPending}
        onClick={() => settle.mutate({ kind: alert.kind, subject: alert.subject })}
      >
        {settle.isPending ? homeWords.settling : homeWords.settle}
      </BusyButton>
      {settle.error && <span role="alert"> {settle.error.message}</span>}
    </span>
  );
}

/** It takes the focus that its alert's button had. */
function Undo({ of: { alert, at } }: { of: Settled }) {
  const { kind, subject } = alert;
  const reopen = useChange('alerts.reopen');
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) button.current?.focus();
  }, []);
  const isTooLate = reopen.data?.reopened === false;
  return (
    <li>
      <div>
        <span className="faint" role="status">
          {isTooLate ? alertWords.undone : alertWords.settled(alertText(alert))}
        </span>
        {!isTooLate && (
          <span className="acts">
            <BusyButton
              ref={button}
              className="link-button"
              isBusy={reopen.isPending}
              onClick={() => reopen.mutate({ kind, subject, settled_at: at })}
            >
              {alertWords.undo}
            </BusyButton>
            {reopen.error && <span role="alert"> {reopen.error.message}</span>}
          </span>
        )}
      </div>
    </li>
  );
}
