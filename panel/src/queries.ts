/** What the server said, by operation and input; the only store of such data. */
import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import {
  CallFailure,
  change,
  type Input,
  type Output,
  type ReadName,
  read,
  type WriteName,
} from './client.ts';

const CLOCK = 'clock.read';
const ASK_CLOCK_MS = 5_000;
const TRIES = 2;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) =>
        count < TRIES && error instanceof CallFailure && error.code === 'offline',
    },
  },
});

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

interface ChangeOptions<Name extends WriteName> {
  /** Called with the answer, before the screen is fetched again. */
  readonly onSuccess?: (answer: Output<Name>) => void;
  /** Called after a success, once the screen shows it. */
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
  const mutation = useMutation<Output<Name>, CallFailure, Input<Name>>({
    mutationFn: (input) => change(name, input),
    onSuccess: (answer) => onSuccess?.(answer),
    onSettled: async (_answer, failure) => {
      if (isLeaving && failure === null) return;
      await client.invalidateQueries();
      if (failure === null) onRefreshed?.();
    },
  });
  const { mutate } = mutation;
  return { ...mutation, mutate: useCallback((input: Input<Name>) => mutate(input), [mutate]) };
}

/** The operations that answer in pages. */
type ListName = {
  [Name in ReadName]: Output<Name> extends Paged ? Name : never;
}[ReadName];
interface Paged {
  data: unknown[];
  next_cursor: string | null;
}

/** A list, page after page, with its filters. */
export function useList<Name extends ListName>(
  name: Name,
  filters: Omit<Input<Name>, 'cursor'>,
  { againEveryMs }: Pick<ReadOptions, 'againEveryMs'> = {},
) {
  const list = useInfiniteQuery({
    queryKey: [name, filters],
    queryFn: ({ pageParam, signal }) =>
      read(name, { ...filters, ...(pageParam && { cursor: pageParam }) } as Input<Name>, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Output<Name>) => (page as Paged).next_cursor,
    throwOnError: false,
    refetchInterval: againEveryMs ?? false,
  });
  type Row = Output<Name> extends { data: (infer One)[] } ? One : never;
  const pages = (list.data?.pages ?? []) as readonly Paged[];
  return {
    rows: pages.flatMap(({ data }) => data) as Row[],
    /** The first page, for what it says beside its rows. */
    first: list.data?.pages[0] as Output<Name> | undefined,
    isLoading: list.isPending,
    failure: list.error as CallFailure | null,
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    loadMore: () => void (list.isFetchingNextPage || list.fetchNextPage()),
    again: () => void list.refetch(),
  };
}

/**
 * Asks the organisation's clock while the page is visible, and fetches what is on the screen again
 * when it moved.
 */
export function useLive(): { isOffline: boolean } {
  const client = useQueryClient();
  const { data, error } = useRead(CLOCK, {}, { againEveryMs: ASK_CLOCK_MS });
  const asOf = data?.as_of ?? null;
  const known = useRef<string | null>(null);
  useEffect(() => {
    if (asOf !== null && known.current !== null && asOf !== known.current)
      void client.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== CLOCK });
    known.current = asOf ?? known.current;
  }, [asOf, client]);
  return { isOffline: error?.code === 'offline' };
}
