import type { ReactNode } from 'react';
import type { Output } from '../../client.ts';
import { When } from '../../parts/When.tsx';
import { goodsOf, ordersOf } from './line-names.ts';
import { SEVERAL_ACCOUNTS } from './ObstacleNote.tsx';
import { type Chosen, MOST_OF_A_BATCH } from './use-chosen.ts';
import { lineStates, scanWords, warehouseWords } from './words.ts';

type Line = Output<'lines.list'>['data'][number];
/** Letters of a number, at the size for phones. */
const MOST_IN_LINE = 23;

type Planned = Output<'guides.plan'>['lines'][number];

/** A number that was scanned, and what was found. */
export interface Scanned {
  readonly number: string;
  readonly lines: readonly Line[];
  /** What a batch would do with the line; null = it was not asked. */
  readonly planned: Planned | null;
  /** An earlier scan, or a hand, chose the line. */
  readonly wasChosen: boolean;
}

export interface ScanAnswerProps extends Scanned {
  readonly chosen: Chosen;
  readonly onOpen: (lineId: string) => void;
}

/** What the scanned number is, to be read from a metre. */
export function ScanAnswer(props: ScanAnswerProps) {
  const { number, lines, onOpen } = props;
  const [only] = lines;
  if (lines.length === 1 && only) return <OneLine {...props} line={only} />;
  return (
    <div className={`scan-answer ${lines.length === 0 ? 'scan-bad' : 'scan-warn'}`} role="status">
      <p className="scan-word">
        {lines.length === 0 ? warehouseWords.noSuch : warehouseWords.several(lines.length)}
        {lines.length === 0 && <ScannedNumber number={number} />}
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
}

function OneLine({ line, planned, wasChosen, chosen, onOpen }: ScanAnswerProps & { line: Line }) {
  const isChosen = chosen.has(line.line_id);
  const isReady = isForReview(planned);
  const isGood = isReady || (isPacked(line) && isChosen);
  const isAgain = isGood && isChosen && wasChosen;
  const kind = isAgain ? 'again' : isGood ? 'good' : 'warn';
  const word = wordOf(line, planned);
  return (
    <div className={`scan-answer scan-${kind}`} role="status">
      <p className="scan-word">{isAgain ? scanWords.again : word}</p>
      {isAgain && <p>{word}</p>}
      {planned?.lacks.map(({ code, message }) => (
        <p key={code}>{message}</p>
      ))}
      {!isAgain && <Added isGood={isGood} isChosen={isChosen} line={line} count={chosen.size} />}
      <p>
        {ordersOf(line)} · {goodsOf(line)}
      </p>
      {(isAgain || line.state !== 'staged') && <Since line={line} />}
      <button type="button" className="link-button" onClick={() => onOpen(line.line_id)}>
        {warehouseWords.seeLine}
      </button>
    </div>
  );
}

interface AddedProps {
  readonly line: Line;
  /** It can be worked on. */
  readonly isGood: boolean;
  readonly isChosen: boolean;
  /** Of all that are chosen. */
  readonly count: number;
}

/** Whether this scan chose the line, or why not. */
function Added({ line, isGood, isChosen, count }: AddedProps) {
  if (isPacked(line) && !isChosen) return <p>{scanWords.notLeaving}</p>;
  if (!isGood) return null;
  if (isChosen) return <p>{scanWords.added}</p>;
  return count < MOST_OF_A_BATCH ? null : <p>{scanWords.notAdded(MOST_OF_A_BATCH)}</p>;
}

/** Since when the line is where it is. */
function Since({ line: { state, staged_at, in_transit_at, transferred_at } }: { line: Line }) {
  const left = { transferred: transferred_at, in_transit: in_transit_at }[state as string];
  return (
    <p className="faint">
      {left ? scanWords.since : warehouseWords.waiting} <When at={left ?? staged_at} />
    </p>
  );
}

/** A number in one line on a phone too: of a long one the middle is left out. */
function ScannedNumber({ number }: { number: string }) {
  const isLong = number.length > MOST_IN_LINE;
  const half = (MOST_IN_LINE - 1) / 2;
  return (
    <>
      {' '}
      <span className="scan-number" title={number}>
        {isLong ? `${number.slice(0, half)}…${number.slice(-half)}` : number}
      </span>
    </>
  );
}

/** Whether a batch would take the line, at most with a choice that the review asks for. */
export function isForReview(planned: Planned | null): boolean {
  if (planned === null) return false;
  const { readiness, lacks } = planned;
  const isAccountOpen = lacks.length > 0 && lacks.every(({ code }) => code === SEVERAL_ACCOUNTS);
  return readiness === 'ready' || isAccountOpen;
}

/** Whether the line has its guide, and waits to leave. */
export function isPacked({ state, tracking_number }: Line): boolean {
  return state === 'staged' && tracking_number !== null;
}

function wordOf({ state, tracking_number }: Line, planned: Planned | null): ReactNode {
  if (planned !== null) return scanWords.faults[planned.lacks[0]?.code ?? ''] ?? readyWord(planned);
  if (state !== 'staged') return lineStates[state];
  if (tracking_number === null) return warehouseWords.noGuide;
  return (
    <>
      {scanWords.guide}
      <ScannedNumber number={tracking_number} />
    </>
  );
}

function readyWord({ readiness }: Planned): string {
  return readiness === 'ready' ? scanWords.ready : scanWords.notReady;
}
