import { type ReactNode, useState } from 'react';
import { cfdiWords } from '../../cfdi-words.ts';
import type { Output } from '../../client.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { TextFilter } from '../../parts/TextFilter.tsx';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';

type Order = Output<'orders.list'>['data'][number];

const SHOWN = 5;

interface OtherOrdersProps {
  /** Null = it is listed above. */
  readonly rowOf: (order: Order) => ReactNode;
}

/** Orders that no rule proposes, found as in Órdenes. */
export function OtherOrders({ rowOf }: OtherOrdersProps) {
  const [search, setSearch] = useState<string>();
  const { data, error, refetch } = useRead(
    'orders.list',
    { search: search ?? '', limit: SHOWN },
    { isEnabled: search !== undefined },
  );
  const isWaiting = search !== undefined && !data && !error;
  return (
    <>
      <h3>{cfdiWords.others}</h3>
      <TextFilter
        label={words.orders.search}
        hint={words.orders.searchHint}
        about={words.orders.searched}
        value={search}
        onChange={setSearch}
      />
      <p role="status" className="faint">
        {isWaiting && words.parts.loading}
        {search !== undefined && data?.data.length === 0 && cfdiWords.noOthers}
        {search !== undefined && data?.next_cursor && cfdiWords.moreOthers(SHOWN)}
      </p>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {search !== undefined && data && <ul className="items">{data.data.map(rowOf)}</ul>}
    </>
  );
}
