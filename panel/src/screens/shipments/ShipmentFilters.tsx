import { DayFilters } from '../../parts/DayFilters.tsx';
import { Filters } from '../../parts/Filters.tsx';
import { SelectFilter } from '../../parts/SelectFilter.tsx';
import { FILTERS, type ShipmentSearch } from './search.ts';
import { carriers, categories, shipmentWords } from './words.ts';

interface ShipmentFiltersProps {
  readonly search: ShipmentSearch;
  readonly onChange: (next: Partial<ShipmentSearch>) => void;
}

const LONGEST_NUMBER = 200;

export function ShipmentFilters({ search, onChange }: ShipmentFiltersProps) {
  const find = (typed: string) => {
    const numero = typed.trim() || undefined;
    if (numero !== search.numero) onChange({ numero });
  };
  return (
    <Filters
      names={FILTERS}
      search={search}
      onChange={onChange}
      first={
        <label className="filter" key={search.numero}>
          {shipmentWords.number}
          <input
            type="search"
            defaultValue={search.numero ?? ''}
            maxLength={LONGEST_NUMBER}
            onKeyDown={({ key, currentTarget }) => key === 'Enter' && find(currentTarget.value)}
            onBlur={({ target }) => find(target.value)}
          />
        </label>
      }
    >
      <SelectFilter
        label={shipmentWords.carrier}
        any={shipmentWords.any}
        names={carriers}
        value={search.paqueteria}
        onChange={(paqueteria) => onChange({ paqueteria })}
      />
      <SelectFilter
        label={shipmentWords.status}
        any={shipmentWords.anyStatus}
        names={categories}
        value={search.categoria}
        onChange={(categoria) => onChange({ categoria })}
      />
      <DayFilters words={shipmentWords} search={search} onChange={onChange} />
    </Filters>
  );
}
