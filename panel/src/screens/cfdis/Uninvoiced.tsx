import { useTimezone } from '../../frame/use-frame.ts';
import { monthWords } from '../../month-words.ts';
import { ClearFilters } from '../../parts/ClearFilters.tsx';
import { DataTable } from '../../parts/DataTable.tsx';
import { DayFilters } from '../../parts/DayFilters.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ExportLink } from '../../parts/ExportLink.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { PagedTable } from '../../parts/PagedTable.tsx';
import { SelectFilter } from '../../parts/SelectFilter.tsx';
import { useServices } from '../../parts/use-services.ts';
import { useList, useRead } from '../../queries.ts';
import { uninvoicedWords } from '../../uninvoiced-words.ts';
import { words } from '../../words.ts';
import { todayIn } from '../sales/periods.ts';
import { monthsUntil } from '../sales/presets.ts';
import { AGAIN_MS, type CfdiSearch, daysOf, uninvoicedDays, uninvoicedOf } from './search.ts';
import { columnsOf, columnsOfSums } from './uninvoiced-columns.tsx';

const FILTERS = ['canal', 'desde', 'hasta'] as const;

interface UninvoicedProps {
  readonly view: 'pendientes' | 'global';
  readonly search: CfdiSearch;
  readonly onChange: (next: Partial<CfdiSearch>) => void;
}

/** Orders without a CFDI, or those for the global invoice: sums by month, then each order. */
export function Uninvoiced({ view, search, onChange }: UninvoicedProps) {
  const { nameOf, marketplaces } = useServices();
  const timezone = useTimezone();
  const filters = uninvoicedOf(search, view, timezone);
  const sums = useRead('cfdis.uninvoiced-sums', filters, { keepsFormer: true });
  const list = useList('cfdis.uninvoiced', filters, { againEveryMs: AGAIN_MS });
  const rows = sums.data?.data ?? [];
  const totals = sums.data?.totals ?? [];
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const isEmpty = sums.data !== undefined && rows.length === 0;
  return (
    <>
      <p className="faint">{uninvoicedWords.intro[view]}</p>
      <p className="acts">
        <MonthButtons search={search} onChange={onChange} />
      </p>
      <div className="filters">
        <SelectFilter
          label={words.orders.marketplace}
          any={words.orders.any}
          names={Object.fromEntries(marketplaces.map(({ service, name }) => [service, name]))}
          value={search.canal}
          onChange={(canal) => onChange({ canal })}
        />
        <DayFilters words={words.orders} search={search} onChange={onChange} />
        <ClearFilters names={FILTERS} search={search} onChange={onChange} />
      </div>
      {!isEmpty && (
        <p className="count" role="status">
          {totals.length > 0 && <strong>{uninvoicedWords.sum(totals, isFiltered)}</strong>}
        </p>
      )}
      <p className="acts">
        <ExportLink
          of={view === 'global' ? 'global_invoice' : 'uninvoiced'}
          marketplaces={search.canal}
          days={uninvoicedDays(search, todayIn(timezone, Date.now()))}
        />
      </p>
      {sums.error && <FailureNote failure={sums.error} onAgain={() => void sums.refetch()} />}
      {isEmpty && <EmptyState text={uninvoicedWords.empty[view]} />}
      {!isEmpty && !sums.error && (
        <section className="part">
          <h2>{uninvoicedWords.byMonth}</h2>
          <DataTable
            label={uninvoicedWords.byMonth}
            columns={columnsOfSums(nameOf)}
            rows={rows}
            isLoading={sums.isPending}
            hasMore={false}
            loadMore={() => {}}
            keyOf={({ month, marketplace, currency }) => `${month} ${marketplace} ${currency}`}
            onOpen={({ month, marketplace }) => onChange({ ...daysOf(month), canal: marketplace })}
          />
        </section>
      )}
      {rows.length > 0 && (
        <section className="part">
          <h2>{uninvoicedWords.orders}</h2>
          {/* A list measures where it begins once: it begins anew when the sums above it change. */}
          <PagedTable
            key={rows.length}
            list={list}
            countOf={uninvoicedWords.listed}
            empty={<EmptyState text={uninvoicedWords.empty[view]} />}
            label={uninvoicedWords.orders}
            columns={columnsOf(view, nameOf)}
            keyOf={({ marketplace, account_id, order_id }) =>
              `${marketplace} ${account_id} ${order_id}`
            }
          />
        </section>
      )}
    </>
  );
}

/** The months that invoices are mostly made for. */
function MonthButtons({ search, onChange }: Pick<UninvoicedProps, 'search' | 'onChange'>) {
  const { month, lastMonth } = monthsUntil(todayIn(useTimezone(), Date.now()));
  return [
    { name: monthWords.this, days: month },
    { name: monthWords.last, days: lastMonth },
  ].map(({ name, days }) => (
    <button
      key={name}
      type="button"
      className="button quiet"
      aria-pressed={days.desde === search.desde && days.hasta === search.hasta}
      onClick={() => onChange(days)}
    >
      {name}
    </button>
  ));
}
