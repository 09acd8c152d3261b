import type { ReactNode } from 'react';
import type { CallFailure } from '../client.ts';
import { countText } from '../format.ts';
import { words } from '../words.ts';
import { ChangesNote } from './ChangesNote.tsx';
import { DataTable, type DataTableProps } from './DataTable.tsx';
import { FailureNote } from './FailureNote.tsx';

type Pages<Row> = Pick<DataTableProps<Row>, 'rows' | 'isLoading' | 'hasMore' | 'loadMore'>;

interface PagedTableProps<Row> extends Omit<DataTableProps<Row>, keyof Pages<Row>> {
  /** What `useList` returns. */
  readonly list: Pages<Row> & {
    readonly failure: CallFailure | null;
    readonly again: () => void;
    readonly hasChanges: boolean;
    readonly renew: () => void;
  };
  /** @param count of the rows read so far */
  readonly countOf: (count: string, hasMore: boolean) => string;
  /** Said while nothing was read yet. */
  readonly loading?: string;
  /** Between the count and the rows. */
  readonly notices?: ReactNode;
  /** Instead of the table where there are no rows. */
  readonly empty: ReactNode;
}

/**
 * A list read page by page: its count, what is said without rows, its table, and its failure. Rows
 * that were read stay where a later page or a poll fails.
 */
export function PagedTable<Row>(props: PagedTableProps<Row>) {
  const { list, countOf, loading = words.parts.loading, notices, empty, ...table } = props;
  const { rows, isLoading, failure, hasMore, again } = list;
  // A page may be empty and have a next one: a filter that looks at every row.
  const isSearching = isLoading || (rows.length === 0 && hasMore);
  const isEmpty = !isSearching && rows.length === 0 && !failure;
  return (
    <>
      <p className="faint count" role="status">
        {isSearching ? loading : countOf(countText(rows.length), hasMore)}
      </p>
      <ChangesNote list={list} />
      {notices}
      {isEmpty && empty}
      {!isEmpty && (rows.length > 0 || !failure) && <DataTable {...table} {...list} />}
      {failure && <FailureNote failure={failure} onAgain={again} />}
    </>
  );
}
