/** What the server said, by operation and input; the only store of such data. */
import {
  focusManager,
  hashKey,
  type InfiniteData,
  keepPreviousData,
  type Query,
  type QueryClient,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';
import {
  type CallFailure,
  change,
  type Input,
  type Output,
  type ReadName,
  read,
  type WriteName,
} from './client.ts';

const CLOCK = 'clock.read';
const ASK_CLOCK_MS = 5_000;
/** Soon after the user has read a list, or closed its drawer, it is fetched. */
const LOOK_WHILE_HELD_MS = 1_000;

interface ReadOptions {
  readonly isEnabled?: boolean;
  /** For what the organisation's clock does not cover. */
  readonly againEveryMs?: number;
  /** Until another input is answered, the former answer stays on the screen. */
  readonly keepsFormer?: boolean;
}

export function useRead<Name extends ReadName>(
  name: Name,
  input: Input<Name>,
  { isEnabled = true, againEveryMs, keepsFormer = false }: ReadOptions = {},
) {
  return useQuery<Output<Name>, CallFailure>({
    queryKey: [name, input],
    queryFn: ({ signal }) => read(name, input, signal),
    enabled: isEnabled,
    refetchInterval: againEveryMs ?? false,
    ...(keepsFormer && { placeholderData: keepPreviousData }),
  });
}

/** Whether a read was never answered; a failure is an answer, also while it is tried again. */
export function isAwaited(read: { readonly isLoading: boolean; readonly isFetched: boolean }) {
  return read.isLoading && !read.isFetched;
}

interface ChangeOptions<Name extends WriteName> {
  /** Called with the answer, before the screen is fetched again. */
  readonly onSuccess?: (answer: Output<Name>) => void;
  /** Called after a success, once the screen shows it; as it was when the change was sent. */
  readonly onRefreshed?: () => void;
  /** A success leads to another page: nothing of this one is fetched again. */
  readonly isLeaving?: boolean;
}

/**
 * Changes something, then fetches what is on the screen again. The callbacks belong to the hook, since
 * those of `mutate` are dropped when the fetched answer removes the component that asked.
 */
export function useChange<Name extends WriteName>(
  name: Name,
  { onSuccess, onRefreshed, isLeaving = false }: ChangeOptions<Name> = {},
) {
  const client = useQueryClient();
  const mutation = useMutation<Output<Name>, CallFailure, Input<Name>, typeof onRefreshed>({
    mutationFn: (input) => change(name, input),
    onMutate: () => onRefreshed,
    onSuccess: (answer) => onSuccess?.(answer),
    onSettled: async (_answer, failure, _input, refreshed) => {
      if (isLeaving && failure === null) return;
      // The clock is read before the lists, so that no list reports the person's own change as new.
      if (failure === null) await client.refetchQueries({ queryKey: [CLOCK] });
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== CLOCK });
      if (failure === null) refreshed?.();
      // Two frames, in which a form draws that: else it takes its own change for a colleague's.
      await new Promise((resolve) => setTimeout(resolve, 32));
    },
  });
  const { mutate } = mutation;
  return { ...mutation, mutate: useCallback((input: Input<Name>) => mutate(input), [mutate]) };
}

/** Reads when it is asked for and not before, such as a link that soon ends. */
export function useAnswer<Name extends ReadName>(
  name: Name,
  onAnswer: (answer: Output<Name>) => void,
) {
  return useMutation<Output<Name>, CallFailure, Input<Name>>({
    mutationFn: (input) => read(name, input),
    onSuccess: onAnswer,
  });
}

/** The operations that answer in pages. */
type ListName = {
  [Name in ReadName]: Output<Name> extends Paged ? Name : never;
}[ReadName];
interface Paged {
  data: unknown[];
  next_cursor: string | null;
}

/** A page, and when it was asked for, in milliseconds. */
interface Dated<Page> {
  readonly page: Page;
  readonly askedAt: number;
}

/**
 * A list, page after page, with its filters. A list of one page is fetched again when its data
 * changes, unless the user is reading it: new rows would move the others. Then, and with several
 * pages, `hasChanges` lets the screen offer a refresh.
 */
export function useList<Name extends ListName>(
  name: Name,
  filters: Omit<Input<Name>, 'cursor'>,
  { againEveryMs }: Pick<ReadOptions, 'againEveryMs'> = {},
) {
  const client = useQueryClient();
  const queryKey = [name, filters];
  useEntry(client, queryKey);
  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }): Promise<Dated<Output<Name>>> => {
      const askedAt = Date.now();
      const input = { ...filters, ...(pageParam && { cursor: pageParam }) } as Input<Name>;
      return { page: await read(name, input, signal), askedAt };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ page }) => (page as Paged).next_cursor,
    throwOnError: false,
    refetchOnMount: (query) => !isLong(query),
    refetchOnWindowFocus: (query) => !isLong(query) && !isReading(),
    refetchOnReconnect: (query) => !isLong(query) && !isReading(),
  });
  type Row = Output<Name> extends { data: (infer One)[] } ? One : never;
  const dated = list.data?.pages ?? [];
  const oldest = Math.min(...dated.map(({ askedAt }) => askedAt));
  const isOld = useIsOver(oldest + (againEveryMs ?? Number.POSITIVE_INFINITY));
  const movedAt = useContext(MovedAt);
  const isStale = isOld || movedAt > oldest;
  const isHeld = useFollowing(isStale && dated.length === 1, list.refetch, againEveryMs);
  return {
    rows: dated.flatMap(({ page }) => (page as Paged).data) as Row[],
    /** The first answer and all of them, for their members beside the rows. */
    first: dated[0]?.page,
    pages: dated.map(({ page }) => page),
    hasChanges: isStale && (dated.length > 1 || isHeld),
    /** Begins with the first page again. */
    renew: () => {
      client.setQueryData<InfiniteData<unknown>>(queryKey, (known) => known && firstOf(known));
      void list.refetch();
    },
    isLoading: list.isPending,
    failure: list.error as CallFailure | null,
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    /** A page that failed is read again by `again` alone, not by each scroll. */
    loadMore: () =>
      void (list.isFetchingNextPage || list.isFetchNextPageError || list.fetchNextPage()),
    /** Tries what failed once more: the next page alone, where it was that. */
    again: () => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch()),
  };
}

/**
 * Fetches a stale list again, and waits while the user is reading it.
 *
 * @returns whether it waits
 */
function useFollowing(
  isStale: boolean,
  refetch: UseInfiniteQueryResult['refetch'],
  everyMs = ASK_CLOCK_MS,
): boolean {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (!isStale) return setHeld(false);
    const follow = () => {
      const isRead = isReading();
      setHeld(isRead);
      if (!isRead && focusManager.isFocused()) void refetch({ cancelRefetch: false });
    };
    follow();
    const timer = setInterval(follow, isHeld ? LOOK_WHILE_HELD_MS : everyMs);
    return () => clearInterval(timer);
  }, [isStale, isHeld, refetch, everyMs]);
  return isHeld;
}

/**
 * Whether the user is reading a list: the page is scrolled, a drawer is open, or the pointer is on a
 * row.
 */
function isReading(): boolean {
  return scrollY > 0 || document.querySelector(READ) !== null;
}

const READ = '[role="dialog"], table.data > tbody:hover, .data-cards:hover';

function pagesOf({ state }: Pick<Query, 'state'>): number | null {
  const { pages } = (state.data ?? {}) as Partial<InfiniteData<unknown>>;
  return Array.isArray(pages) ? pages.length : null;
}

/** Whether more than one page of a list is loaded. */
function isLong(query: Pick<Query, 'state'>): boolean {
  return (pagesOf(query) ?? 0) > 1;
}

let lastNavigation = 'PUSH';

/** @param type of the router's history */
export function noteNavigation(type: string): void {
  lastNavigation = type;
}

/** Whether the screen was left for a new one; else the browser went back, or forward again. */
export function isEntering(): boolean {
  return lastNavigation === 'PUSH' || lastNavigation === 'REPLACE';
}

/** A list that is entered anew begins with its first page, which is then no older than it says. */
function useEntry(client: QueryClient, queryKey: readonly unknown[]): void {
  const entered = useRef('');
  const hash = hashKey(queryKey);
  if (entered.current === hash) return;
  entered.current = hash;
  const query = client.getQueryCache().find<InfiniteData<Dated<unknown>>>({ queryKey });
  if (!isEntering() || !query?.state.data || !isLong(query)) return;
  const known = firstOf(query.state.data);
  client.setQueryData(queryKey, known, { updatedAt: known.pages[0]?.askedAt ?? 0 });
}

function firstOf<Page>({ pages, pageParams }: InfiniteData<Page>): InfiniteData<Page> {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}

/** @param until in milliseconds; infinite = never */
function useIsOver(until: number): boolean {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!Number.isFinite(until)) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until]);
  return now >= until;
}

/** When the organisation's clock was last seen to have moved, in milliseconds; 0 = not yet. */
export const MovedAt = createContext(0);

/**
 * Asks the organisation's clock while the page is visible, and fetches what is on the screen again
 * when it moved, but for lists, which follow by themselves.
 */
export function useLive(): { isOffline: boolean; isSignedOut: boolean; movedAt: number } {
  const client = useQueryClient();
  const { data, error, dataUpdatedAt } = useRead(CLOCK, {}, { againEveryMs: ASK_CLOCK_MS });
  const asOf = data?.as_of;
  /** Undefined = not yet answered; null = there was no order. */
  const known = useRef<string | null>(undefined);
  const answeredAt = useRef(0);
  answeredAt.current = dataUpdatedAt;
  const [movedAt, setMovedAt] = useState(0);
  useEffect(() => {
    if (asOf === undefined) return;
    if (asOf !== null && known.current !== undefined && asOf !== known.current) {
      setMovedAt(answeredAt.current);
      void client.invalidateQueries({
        predicate: (query) => query.queryKey[0] !== CLOCK && pagesOf(query) === null,
      });
    }
    known.current = asOf ?? known.current ?? null;
  }, [asOf, client]);
  const isSignedOut = error?.code === 'session_required';
  return { isOffline: error?.code === 'offline', isSignedOut, movedAt };
}
