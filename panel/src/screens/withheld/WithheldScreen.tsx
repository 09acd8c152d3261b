import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ExportLink } from '../../parts/ExportLink.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { OPENED, useWayBack } from '../../parts/use-way-back.ts';
import { useRead } from '../../queries.ts';
import { periodText, type WithheldPeriod, withheldWords } from '../../withheld-words.ts';
import { words } from '../../words.ts';
import { PeriodDrawer } from './PeriodDrawer.tsx';

export const route = createLazyRoute('/retenciones')({ component: WithheldScreen });

/** Certificates are in pesos, and only taxes in pesos are compared. */
const CURRENCY = 'MXN';
/** Movements follow sync runs, which the organisation's clock does not cover. */
const AGAIN_MS = 60_000;

function WithheldScreen() {
  const { periodo, marketplace } = useSearch({ from: '/retenciones' });
  const navigate = useNavigate({ from: '/retenciones' });
  const { data, error, isPending, refetch } = useRead(
    'withheld.list',
    {},
    { againEveryMs: AGAIN_MS },
  );
  const rows = withCovering(data?.data ?? []);
  const set = (next: string | undefined, how = {}) =>
    void navigate({ search: { periodo: next }, resetScroll: false, ...how });
  const close = useWayBack(() => set(undefined));
  const open = (next: string | undefined) =>
    void navigate({
      search: { periodo, marketplace: next },
      ...{ replace: true, resetScroll: false, state: true },
    });
  const isEmpty = data !== undefined && rows.length === 0;
  return (
    <section className="screen wide">
      <div className="screen-head">
        <h1>{withheldWords.title}</h1>
        <ExportLink of="withheld" />
      </div>
      <p className="faint">{withheldWords.intro}</p>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {isEmpty && <EmptyState text={withheldWords.empty} />}
      {!isEmpty && (data || !error) && (
        <DataTable
          label={withheldWords.title}
          columns={COLUMNS}
          rows={rows}
          isLoading={isPending}
          hasMore={false}
          loadMore={() => {}}
          keyOf={({ period }) => period}
          onOpen={({ period }) => set(period, OPENED)}
          openKey={periodo ?? null}
        />
      )}
      <PeriodDrawer
        period={rows.find(({ period }) => period === periodo) ?? null}
        marketplace={marketplace}
        onMarketplace={open}
        onClose={close}
      />
    </section>
  );
}

interface Row extends WithheldPeriod {
  /** A certificate of several months is for this month, too. */
  readonly isCovered: boolean;
}

function withCovering(periods: readonly WithheldPeriod[]): Row[] {
  const spans = periods.map(({ period }) => period.split('/'));
  const covers = ([first = '', last = '']: string[], month: string) =>
    first <= month && month <= last;
  return periods.map((one) => ({
    ...one,
    isCovered: !one.period.includes('/') && spans.some((span) => covers(span, one.period)),
  }));
}

/** The keys place the facts on a narrow screen. */
const COLUMNS: readonly Column<Row>[] = [
  { key: 'id', title: withheldWords.period, cell: ({ period }) => periodText(period) },
  {
    key: 'items',
    title: withheldWords.ledger,
    isNamed: true,
    width: '12rem',
    isNumber: true,
    cell: ({ ledger_total }) => <Money amount={ledger_total} currency={CURRENCY} />,
  },
  {
    key: 'stock',
    title: withheldWords.certified,
    isNamed: true,
    width: '12rem',
    isNumber: true,
    cell: ({ certified_total, isCovered }) => (
      <Money
        amount={certified_total}
        currency={CURRENCY}
        absent={isCovered ? withheldWords.covered : withheldWords.noCertificate}
      />
    ),
  },
  {
    key: 'date',
    title: withheldWords.difference,
    isNamed: true,
    width: '12rem',
    isNumber: true,
    cell: ({ difference, isCovered }) => <Difference amount={difference} isCovered={isCovered} />,
  },
];

interface DifferenceProps {
  readonly amount: number | null;
  readonly isCovered: boolean;
}

function Difference({ amount, isCovered }: DifferenceProps) {
  if (amount === null && isCovered) return <span className="faint">{words.parts.none}</span>;
  if (amount === null) return <StatusBadge tone="idle" word={withheldWords.noCertificate} />;
  if (amount === 0) return <StatusBadge tone="good" word={withheldWords.matched} />;
  return <Money amount={amount} currency={CURRENCY} />;
}
