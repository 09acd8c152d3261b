import type { Output } from '../../client.ts';
import { goodsOf, ordersOf } from './line-names.ts';
import { type Chosen, MOST_OF_A_BATCH } from './use-chosen.ts';
import { lineStates, scanWords, warehouseWords } from './words.ts';

type Line = Output<'lines.list'>['data'][number];
type Planned = Output<'guides.plan'>['lines'][number];

/** A number that was scanned, and what was found. */
export interface Scanned {
  readonly number: string;
  readonly lines: readonly Line[];
  /** What a batch would do with the line; null = it was not asked. */
  readonly planned: Planned | null;
}

export interface ScanAnswerProps extends Scanned {
  readonly chosen: Chosen;
  readonly onOpen: (lineId: string) => void;
}

/** What the scanned number is, to be read from a metre. */
export function ScanAnswer(props: ScanAnswerProps) {
  const { number, lines, planned, chosen, onOpen } = props;
  const [only] = lines;
  if (lines.length !== 1 || !only)
    return (
      <div className={`scan-answer ${lines.length === 0 ? 'scan-bad' : 'scan-warn'}`} role="status">
        <p className="scan-word">
          {lines.length === 0
            ? warehouseWords.noSuch(number)
            : warehouseWords.several(lines.length)}
        </p>
        <ul>
          {lines.map((line) => (
            <li key={line.line_id}>
              <button type="button" className="link-button" onClick={() => onOpen(line.line_id)}>
                {ordersOf(line)}
              </button>
            </li>
          ))}
        </ul>
      </div>
    );
  const isReady = planned?.readiness === 'ready';
  const isAdded = chosen.has(only.line_id);
  const isPassed = isPacked(only) && !isAdded;
  const isGood = isReady || (isPacked(only) && isAdded);
  return (
    <div className={`scan-answer scan-${isGood ? 'good' : 'warn'}`} role="status">
      <p className="scan-word">{wordOf(only, planned)}</p>
      {planned?.lacks.map(({ code, message }) => (
        <p key={code}>{message}</p>
      ))}
      {isGood && isAdded && <p>{scanWords.added}</p>}
      {isPassed && <p>{scanWords.notLeaving}</p>}
      {isReady && !isAdded && chosen.size >= MOST_OF_A_BATCH && (
        <p>{scanWords.notAdded(MOST_OF_A_BATCH)}</p>
      )}
      <p>
        {ordersOf(only)} · {goodsOf(only)}
      </p>
      <button type="button" className="link-button" onClick={() => onOpen(only.line_id)}>
        {warehouseWords.seeLine}
      </button>
    </div>
  );
}

/** Whether the line has its guide, and waits to leave. */
export function isPacked({ state, tracking_number }: Line): boolean {
  return state === 'staged' && tracking_number !== null;
}

function wordOf({ state, tracking_number }: Line, planned: Planned | null): string {
  if (planned !== null) return scanWords.faults[planned.lacks[0]?.code ?? ''] ?? readyWord(planned);
  if (state !== 'staged') return lineStates[state];
  return tracking_number === null ? warehouseWords.noGuide : scanWords.hasGuide(tracking_number);
}

function readyWord({ readiness }: Planned): string {
  return readiness === 'ready' ? scanWords.ready : scanWords.notReady;
}
