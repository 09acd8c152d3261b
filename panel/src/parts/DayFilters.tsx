import { DayFilter } from './DayFilter.tsx';

interface DaysOfList {
  readonly desde?: string | undefined;
  readonly hasta?: string | undefined;
}

interface DayFiltersProps {
  readonly words: { readonly from: string; readonly to: string };
  readonly search: DaysOfList;
  readonly onChange: (next: DaysOfList) => void;
}

/** The first and the last day of a list. */
export function DayFilters({ words, search, onChange }: DayFiltersProps) {
  return (
    <>
      <DayFilter
        label={words.from}
        value={search.desde}
        onChange={(desde) => onChange({ desde })}
      />
      <DayFilter label={words.to} value={search.hasta} onChange={(hasta) => onChange({ hasta })} />
    </>
  );
}
