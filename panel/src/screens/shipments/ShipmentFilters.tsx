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
  return (
    <Filters
      names={FILTERS}
      search={search}
      onChange={onChange}
      first={
        <NumberFilter
          label={shipmentWords.number}
          value={search.numero}
          onChange={(numero) => onChange({ numero })}
        />
      }
    >
      <NumberFilter
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

interface NumberFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function NumberFilter({ label, value, onChange }: NumberFilterProps) {
  const find = (typed: string) => {
    const number = typed.trim() || undefined;
    if (number !== value) onChange(number);
  };
  return (
    <label className="filter" key={value}>
      {label}
      <input
        type="search"
        defaultValue={value ?? ''}
        maxLength={LONGEST_NUMBER}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && find(currentTarget.value)}
        onBlur={({ target }) => find(target.value)}
      />
    </label>
  );
}
