import { ClearFilters } from '../../parts/ClearFilters.tsx';
import { DayFilters } from '../../parts/DayFilters.tsx';
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
    <div className="filters">
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
      <Choice
        label={shipmentWords.carrier}
        any={shipmentWords.any}
        names={carriers}
        value={search.paqueteria}
        onChange={(paqueteria) => onChange({ paqueteria })}
      />
      <Choice
        label={shipmentWords.status}
        any={shipmentWords.anyStatus}
        names={categories}
        value={search.categoria}
        onChange={(categoria) => onChange({ categoria })}
      />
      <DayFilters words={shipmentWords} search={search} onChange={onChange} />
      <ClearFilters names={FILTERS} search={search} onChange={onChange} />
    </div>
  );
}

interface ChoiceProps<Name extends string> {
  readonly label: string;
  readonly any: string;
  readonly names: Readonly<Record<Name, string>>;
  readonly value: Name | undefined;
  readonly onChange: (value: Name | undefined) => void;
}

function Choice<Name extends string>({ label, any, names, value, onChange }: ChoiceProps<Name>) {
  return (
    <label className="filter">
      {label}
      <select
        value={value ?? ''}
        onChange={({ target }) => onChange((target.value || undefined) as Name | undefined)}
      >
        <option value="">{any}</option>
        {Object.entries<string>(names).map(([name, word]) => (
          <option key={name} value={name}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}
