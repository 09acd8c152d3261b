import { DayFilters } from '../../parts/DayFilters.tsx';
import { Filters } from '../../parts/Filters.tsx';
import { SelectFilter } from '../../parts/SelectFilter.tsx';
import { TextFilter } from '../../parts/TextFilter.tsx';
import { FILTERS, type ShipmentSearch } from './search.ts';
import { carriers, categories, shipmentWords } from './words.ts';

interface ShipmentFiltersProps {
  readonly search: ShipmentSearch;
  readonly onChange: (next: Partial<ShipmentSearch>) => void;
}

export function ShipmentFilters({ search, onChange }: ShipmentFiltersProps) {
  return (
    <Filters
      names={FILTERS}
      search={search}
      onChange={onChange}
      first={
        <TextFilter
          label={shipmentWords.number}
          value={search.numero}
          onChange={(numero) => onChange({ numero })}
        />
      }
    >
      <TextFilter
        label={shipmentWords.orderNumber}
        value={search.orden}
        onChange={(orden) => onChange({ orden })}
      />
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
