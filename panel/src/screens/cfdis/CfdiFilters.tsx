import { NativeSelect } from '@mantine/core';
import { cfdiDirections, cfdiKinds, cfdiWords, satStatuses } from '../../cfdi-words.ts';
import { DayFilter } from '../../parts/DayFilter.tsx';
import { words } from '../../words.ts';
import type { CfdiSearch } from './search.ts';

const FILTERS = ['tipo', 'sentido', 'estado', 'rfc', 'desde', 'hasta'] as const;
const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, undefined]));
const CHOICES = [
  { name: 'tipo', label: cfdiWords.type, of: cfdiKinds },
  { name: 'sentido', label: cfdiWords.direction, of: cfdiDirections },
  { name: 'estado', label: cfdiWords.status, of: satStatuses },
] as const;
const DAYS = [
  { name: 'desde', label: words.orders.from },
  { name: 'hasta', label: words.orders.to },
] as const;

interface CfdiFiltersProps {
  readonly search: CfdiSearch;
  readonly onChange: (next: Partial<CfdiSearch>) => void;
}

export function CfdiFilters({ search, onChange }: CfdiFiltersProps) {
  const isAny = FILTERS.some((name) => search[name]);
  return (
    <div className="filters">
      {CHOICES.map(({ name, label, of }) => (
        <NativeSelect
          key={name}
          label={label}
          size="xs"
          value={search[name] ?? ''}
          onChange={({ target }) => onChange({ [name]: target.value })}
          data={[
            { value: '', label: words.orders.any },
            ...Object.entries(of).map(([value, word]) => ({ value, label: word })),
          ]}
        />
      ))}
      <label className="filter">
        {cfdiWords.rfc}
        <input
          type="text"
          value={search.rfc ?? ''}
          onChange={({ target }) => onChange({ rfc: target.value })}
        />
      </label>
      {DAYS.map(({ name, label }) => (
        <DayFilter
          key={name}
          label={label}
          value={search[name]}
          onChange={(day) => onChange({ [name]: day })}
        />
      ))}
      {isAny && (
        <button type="button" className="link-button" onClick={() => onChange(NO_FILTERS)}>
          {words.parts.clear}
        </button>
      )}
    </div>
  );
}
