import { cfdiDirections, cfdiStatuses, cfdiTypes, cfdiWords } from '../../cfdi-words.ts';
import { DayFilters } from '../../parts/DayFilters.tsx';
import { Filters } from '../../parts/Filters.tsx';
import { SelectFilter } from '../../parts/SelectFilter.tsx';
import { TextFilter } from '../../parts/TextFilter.tsx';
import { words } from '../../words.ts';
import type { CfdiSearch } from './search.ts';

const FILTERS = ['tipo', 'sentido', 'estado', 'rfc', 'uuid', 'desde', 'hasta'] as const;

interface CfdiFiltersProps {
  readonly search: CfdiSearch;
  readonly onChange: (next: Partial<CfdiSearch>) => void;
}

export function CfdiFilters({ search, onChange }: CfdiFiltersProps) {
  return (
    <Filters
      names={FILTERS}
      search={search}
      onChange={onChange}
      first={
        <TextFilter
          label={cfdiWords.rfc}
          value={search.rfc}
          isInCapitals
          onChange={(rfc) => onChange({ rfc })}
        />
      }
    >
      <TextFilter
        label={cfdiWords.uuid}
        value={search.uuid}
        isInCapitals
        onChange={(uuid) => onChange({ uuid })}
      />
      <SelectFilter
        label={cfdiWords.type}
        any={words.orders.any}
        names={cfdiTypes}
        value={search.tipo}
        onChange={(tipo) => onChange({ tipo })}
      />
      <SelectFilter
        label={cfdiWords.direction}
        any={words.orders.any}
        names={cfdiDirections}
        value={search.sentido}
        onChange={(sentido) => onChange({ sentido })}
      />
      <SelectFilter
        label={cfdiWords.status}
        any={words.orders.any}
        names={cfdiStatuses}
        value={search.estado}
        onChange={(estado) => onChange({ estado })}
      />
      <DayFilters words={words.orders} search={search} onChange={onChange} />
    </Filters>
  );
}
