import { useEffect, useRef, useState } from 'react';
import { CallFailure, type Output, read } from '../../client.ts';
import { allowedOperations } from '../../frame/use-frame.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { ScanAnswer, type ScanAnswerProps, type Scanned } from './ScanAnswer.tsx';
import { focusScan, ScanField } from './ScanField.tsx';
import { lineStates, warehouseWords } from './words.ts';

type Line = Output<'lines.list'>['data'][number];

const EVERY_STATE = Object.keys(lineStates) as Line['state'][];

/** Numbers that were scanned and not looked up, and why the last one was not. */
interface Failed {
  readonly numbers: readonly string[];
  readonly error: CallFailure | null;
}
const NONE_FAILED: Failed = { numbers: [], error: null };

interface ScanProps extends Pick<ScanAnswerProps, 'chosen' | 'onOpen'> {
  readonly onBegin: () => void;
  /** The part of the work on screen; an answer goes with its own. */
  readonly tab: string;
  /** @returns the part of the work of what was found */
  readonly onFound: (found: Scanned) => string;
}

/** Finds the line of a number, in whatever state it is, and says whether it can have a guide. */
export function Scan({ tab, onBegin, onFound, ...answer }: ScanProps) {
  const [scanned, setScanned] = useState<(Scanned & { readonly tab: string }) | null>(null);
  const [failed, setFailed] = useState(NONE_FAILED);
  const last = useRef(0);
  const chosen = useRef(answer.chosen);
  chosen.current = answer.chosen;
  /** Chosen by a scan, and not drawn yet: the next number may be answered before. */
  const adding = useRef(new Set<string>());
  useEffect(() => adding.current.clear());
  const isChosen = scanned?.lines.some(({ line_id }) => answer.chosen.has(line_id)) ?? false;
  // An answer about a chosen line ends with the choice: the line left, or has its guide.
  useEffect(() => {
    if (!isChosen) return;
    return () => setScanned((now) => (now === scanned ? null : now));
  }, [isChosen, scanned]);
  const find = async (number: string) => {
    // The next number may be scanned before this one is answered.
    const turn = ++last.current;
    try {
      const looked = await look(number);
      setFailed((former) => ({ ...former, numbers: without(former.numbers, number) }));
      const id = looked.lines[0]?.line_id ?? '';
      const wasChosen = chosen.current.has(id) || adding.current.has(id);
      const found = { ...looked, wasChosen };
      adding.current.add(id);
      const of = onFound(found);
      if (turn === last.current) setScanned({ ...found, tab: of });
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setFailed(({ numbers }) => ({ error, numbers: [...without(numbers, number), number] }));
      if (turn === last.current) setScanned(null);
    }
  };
  const [next] = failed.numbers;
  return (
    <>
      <ScanField onBegin={onBegin} onNumber={(number) => void find(number)} />
      {failed.error && next !== undefined && (
        <FailureNote
          failure={failed.error}
          title={warehouseWords.notLookedUp(failed.numbers)}
          onAgain={() => {
            focusScan();
            void find(next);
          }}
        />
      )}
      {scanned?.tab === tab && <ScanAnswer {...scanned} {...answer} />}
    </>
  );
}

function without(numbers: readonly string[], number: string): readonly string[] {
  return numbers.filter((one) => one !== number);
}

async function look(number: string): Promise<Omit<Scanned, 'wasChosen'>> {
  const { data: lines } = await read('lines.list', { number, state: EVERY_STATE });
  const [only, ...others] = lines;
  const isStaged = only?.state === 'staged' && only.tracking_number === null;
  const none = { number, lines, planned: null };
  if (!only || others.length > 0 || !isStaged) return none;
  if (!(await allowedOperations()).includes('guides.plan')) return none;
  const plan = await read('guides.plan', { line_ids: [only.line_id] });
  return { number, lines, planned: plan.lines[0] ?? null };
}
