import { NativeSelect } from '@mantine/core';
import { cfdiDirections, cfdiKinds, cfdiWords, satStatuses } from '../../cfdi-words.ts';
import { ClearFilters } from '../../parts/ClearFilters.tsx';
import { DayFilters } from '../../parts/DayFilters.tsx';
import { words } from '../../words.ts';
import type { CfdiSearch } from './search.ts';

const FILTERS = ['tipo', 'sentido', 'estado', 'rfc', 'desde', 'hasta'] as const;
const CHOICES = [
  { name: 'tipo', label: cfdiWords.type, of: cfdiKinds },
  { name: 'sentido', label: cfdiWords.direction, of: cfdiDirections },
  { name: 'estado', label: cfdiWords.status, of: satStatuses },
] as const;

interface CfdiFiltersProps {
  readonly search: CfdiSearch;
  readonly onChange: (next: Partial<CfdiSearch>) => void;
}

export function CfdiFilters({ search, onChange }: CfdiFiltersProps) {
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
      <DayFilters words={words.orders} search={search} onChange={onChange} />
      <ClearFilters names={FILTERS} search={search} onChange={onChange} />
    </div>
  );
}
