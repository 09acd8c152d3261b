import { useState } from 'react';
import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { When } from '../../parts/When.tsx';
import { useChange, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { alertText, alertWords } from './alert-words.ts';

type Resolved = Output<'alerts.resolved'>['data'][number];

/** The alerts that ended lately; those that a person settled can be opened again. */
export function ResolvedAlerts({ mayReopen }: { mayReopen: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useRead('alerts.resolved', {}, { isEnabled: isOpen });
  return (
    <>
      <button className="link-button" type="button" onClick={() => setOpen(true)}>
        {alertWords.resolved}
      </button>
      <SidePanel isOpen={isOpen} title={alertWords.resolvedTitle} onClose={() => setOpen(false)}>
        {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
        {!error && !data && <p role="status">{words.parts.loading}</p>}
        {data && (
          <p className="faint">
            {data.data.length === 0
              ? alertWords.noneResolved(countText(data.days))
              : alertWords.resolvedIntro(countText(data.days))}
          </p>
        )}
        <ul className="items">
          {data?.data.map((alert) => (
            <Entry key={`${alert.kind} ${alert.subject}`} alert={alert} mayReopen={mayReopen} />
          ))}
          {data?.has_more && <li className="faint">{alertWords.moreResolved}</li>}
        </ul>
      </SidePanel>
    </>
  );
}

function Entry({ alert, mayReopen }: { alert: Resolved; mayReopen: boolean }) {
  const { first_at, resolved_at, settled_by } = alert;
  return (
    <li>
      <div>
        <span>{alertText(alert)}</span>
        <span className="faint">
          {alertWords.began} <When at={first_at} /> {alertWords.ended} <When at={resolved_at} />
        </span>
        <span className="faint">
          {settled_by === null ? alertWords.byItself : alertWords.settledBy(settled_by)}
        </span>
        {settled_by !== null && mayReopen && <Reopen alert={alert} />}
      </div>
    </li>
  );
}

function Reopen({ alert: { kind, subject, resolved_at } }: { alert: Resolved }) {
  const reopen = useChange('alerts.reopen');
  return (
    <span>
      <BusyButton
        className="link-button"
        isBusy={reopen.isPending}
        onClick={() => reopen.mutate({ kind, subject, settled_at: resolved_at })}
      >
        {alertWords.reopen}
      </BusyButton>
      {reopen.data?.reopened === false && <span role="status"> {alertWords.changed}</span>}
      {reopen.error && <span role="alert"> {reopen.error.message}</span>}
    </span>
  );
}
