import { useEffect, useState } from 'react';
import type { Input } from '../../client.ts';
import { type Output, organizationId } from '../../client.ts';
import { useRead } from '../../queries.ts';
import { guideWords, transferWords } from './guide-words.ts';
import { ordersOf } from './line-names.ts';

type Line = Output<'lines.list'>['data'][number];

/** Lines by id, with what people call them. */
export type Chosen = ReadonlyMap<string, string>;

export const MOST_OF_A_BATCH = 50;
const MOST_OF_A_TRANSFER = 100;
const AGAIN_EVERY_MS = 15_000;

/** What lines are chosen for. */
interface Purpose {
  readonly name: Kept;
  readonly most: number;
  /** Those that can be chosen for it. */
  readonly waiting: Pick<Input<'lines.list'>, 'state' | 'has_guide'>;
  readonly words: Pick<typeof guideWords | typeof transferWords, 'full' | 'taken' | 'gone'>;
}

export const FOR_GUIDES: Purpose = {
  name: 'chosen',
  most: MOST_OF_A_BATCH,
  waiting: { state: ['staged'], has_guide: false },
  words: guideWords,
};
export const TO_TRANSFER: Purpose = {
  name: 'leaving',
  most: MOST_OF_A_TRANSFER,
  waiting: { state: ['staged'], has_guide: true },
  words: transferWords,
};

/** How many lines there are to choose from, on all pages. */
export interface Total {
  readonly count: number;
  /** There are more than these. */
  readonly hasMore: boolean;
}

interface State {
  readonly chosen: Chosen;
  /** What the last change did not do as asked, or did by itself. */
  readonly note: string | null;
  /** When lines were last added, in milliseconds. */
  readonly addedAt: number;
}

const NOTHING: State = { chosen: new Map(), note: null, addedAt: 0 };

/**
 * The lines that a person chose: no more than can be handled at once, and only those that still
 * wait. They stay chosen in this tab while another screen is looked at.
 */
export function useChosen(purpose: Purpose) {
  const { name, most, waiting: filters, words } = purpose;
  const [state, setState] = useState<State>(() => ({ ...NOTHING, chosen: kept(name) }));
  const { chosen, note, addedAt } = state;
  const ids = [...chosen.keys()];
  const { data, dataUpdatedAt, refetch } = useRead(
    'lines.list',
    { line_ids: ids, ...filters, limit: most },
    { isEnabled: ids.length > 0, againEveryMs: AGAIN_EVERY_MS },
  );
  useEffect(() => keep(name, chosen), [name, chosen]);
  useEffect(() => {
    // An older answer may be of a time when a line that was chosen again had a guide.
    if (!data || dataUpdatedAt < addedAt) return;
    const waiting = new Set(data.data.map(({ line_id }) => line_id));
    setState((former) => (former.chosen === chosen ? withoutGone(former, waiting, words) : former));
  }, [data, dataUpdatedAt, chosen, addedAt, words]);
  return {
    chosen,
    note,
    choose: (lines: readonly Line[], isChosen: boolean, all?: Total) =>
      setState((former) =>
        isChosen ? added(purpose, former, lines, all) : removed(former, lines),
      ),
    clear: () => setState(NOTHING),
    /** Leaves these out, and says why. */
    drop: (gone: readonly string[], said: string) =>
      setState((former) => ({
        ...former,
        chosen: new Map([...former.chosen].filter(([id]) => !gone.includes(id))),
        note: said,
      })),
    most,
    /** Asks at once which of them still wait. */
    check: () => {
      if (ids.length > 0) void refetch();
    },
  };
}

function added(
  { most, words }: Purpose,
  { chosen }: State,
  lines: readonly Line[],
  all: Total = { count: lines.length, hasMore: false },
): State {
  const fresh = lines.filter(({ line_id }) => !chosen.has(line_id));
  const taken = fresh.slice(0, Math.max(0, most - chosen.size));
  const next = new Map(chosen);
  for (const line of taken) next.set(line.line_id, ordersOf(line));
  const addedAt = Date.now();
  const among = lines.filter(({ line_id }) => next.has(line_id)).length;
  const isShort = lines.length > 1 ? among < all.count || all.hasMore : among === 0;
  if (next.size < most || !isShort) return { chosen: next, note: null, addedAt };
  const note = lines.length > 1 ? words.taken(among, all, most) : words.full(most);
  return { chosen: next, note, addedAt };
}

function removed({ chosen, addedAt }: State, lines: readonly Line[]): State {
  const next = new Map(chosen);
  for (const { line_id } of lines) next.delete(line_id);
  return { chosen: next, note: null, addedAt };
}

/** @param waiting those of the chosen lines that still wait */
function withoutGone(former: State, waiting: ReadonlySet<string>, words: Purpose['words']): State {
  const left = [...former.chosen].filter(([id]) => waiting.has(id));
  const gone = former.chosen.size - left.length;
  return gone === 0 ? former : { ...former, chosen: new Map(left), note: words.gone(gone) };
}

/** The lines that are being reviewed; they too stay in this tab. */
export function usePlanned(): readonly [Chosen, (lines: Chosen) => void] {
  const [planned, setPlanned] = useState<Chosen>(() => kept('planned'));
  useEffect(() => keep('planned', planned), [planned]);
  return [planned, setPlanned];
}

type Kept = 'chosen' | 'leaving' | 'planned';

function keyOf(name: Kept): string {
  return `tianguis:${organizationId}:${name}-lines`;
}

function keep(name: Kept, lines: Chosen): void {
  sessionStorage.setItem(keyOf(name), JSON.stringify([...lines]));
}

function kept(name: Kept): Chosen {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '[]'));
  } catch {
    return new Map();
  }
}
