import { useState } from 'react';
import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { durationText, runOutcomes, runWords } from '../../import-words.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { StatusBadge, type Tone } from '../../parts/StatusBadge.tsx';
import { When } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { noRuns } from './words.ts';

type Run = Output<'connections.runs'>['data'][number];

const AGAIN_EVERY_MS = 10_000;
const TONES: Readonly<Record<Run['outcome'], Tone>> = {
  done: 'good',
  behind: 'warn',
  stopped: 'bad',
};

interface LastRunsProps {
  readonly connectionId: string;
  readonly accountName: string;
  readonly serviceName: string;
  /** Null = never. */
  readonly lastSyncAt: string | null;
}

/** How the last sync runs of an account ended. */
export function LastRuns({ connectionId, accountName, serviceName, lastSyncAt }: LastRunsProps) {
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useRead(
    'connections.runs',
    { connection_id: connectionId },
    { isEnabled: isOpen, againEveryMs: AGAIN_EVERY_MS },
  );
  return (
    <>
      <button className="link-button" type="button" onClick={() => setOpen(true)}>
        {runWords.open}
      </button>
      <SidePanel
        isOpen={isOpen}
        title={runWords.title(serviceName, accountName)}
        onClose={() => setOpen(false)}
      >
        {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
        {!error && !data && <p role="status">{words.parts.loading}</p>}
        {data?.data.length === 0 &&
          (lastSyncAt === null ? (
            <EmptyState text={runWords.empty} />
          ) : (
            <p>
              {noRuns.since} <When at={lastSyncAt} />.
            </p>
          ))}
        {data && data.data.length > 0 && <Runs runs={data.data} />}
      </SidePanel>
    </>
  );
}

function Runs({ runs }: { runs: readonly Run[] }) {
  const [stream, setStream] = useState('');
  const streams = [...new Set(runs.map((run) => run.stream))].sort();
  const shown = runs.filter((run) => stream === '' || run.stream === stream);
  return (
    <div className="form">
      <p className="faint">{runWords.intro}</p>
      <label className="filter">
        {runWords.which}
        <select value={stream} onChange={({ target }) => setStream(target.value)}>
          <option value="">{runWords.all}</option>
          {streams.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <ul className="items">
        {shown.map((run) => (
          <li key={`${run.stream} ${run.ended_at}`}>
            <div>
              <StatusBadge tone={TONES[run.outcome]} word={`${run.stream}: ${wordOf(run)}`} />
              {noteOf(run) && <span className="faint">{noteOf(run)}</span>}
            </div>
            <div className="number faint">
              <When at={run.ended_at} />
              <span>
                {runWords.read(countText(run.items), run.items === 1)}
                {run.outcome !== 'stopped' && ` · ${lasted(run)}`}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

function wordOf({ outcome }: Run): string {
  return runOutcomes[outcome].toLowerCase();
}

function noteOf({ outcome, reason }: Run): string | null {
  return outcome === 'behind' ? runWords.behind : reason;
}

function lasted({ begun_at, ended_at }: Run): string {
  return durationText(Date.parse(ended_at) - Date.parse(begun_at));
}
