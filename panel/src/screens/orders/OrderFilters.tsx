import { MultiSelect } from '@mantine/core';
import { useServices } from '../../parts/use-services.ts';
import { statuses, words } from '../../words.ts';
import { listOf, type OrderSearch } from './search.ts';

const STATUSES = Object.entries(statuses).map(([value, label]) => ({ value, label }));
const FILTERS = ['estado', 'marketplace', 'desde', 'hasta'] as const;
const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, undefined]));

interface OrderFiltersProps {
  readonly search: OrderSearch;
  readonly onChange: (next: Partial<OrderSearch>) => void;
}

export function OrderFilters({ search, onChange }: OrderFiltersProps) {
  const { services } = useServices();
  const marketplaces = services.map(({ service, name }) => ({ value: service, label: name }));
  const isAny = FILTERS.some((name) => search[name]);
  return (
    <div className="filters">
      <MultiSelect
        label={words.orders.status}
        placeholder={search.estado ? undefined : words.orders.any}
        data={STATUSES}
        value={listOf(search.estado)}
        onChange={(chosen) => onChange({ estado: chosen.join(',') })}
        size="xs"
      />
      <MultiSelect
        label={words.orders.marketplace}
        placeholder={search.marketplace ? undefined : words.orders.any}
        data={marketplaces}
        value={listOf(search.marketplace)}
        onChange={(chosen) => onChange({ marketplace: chosen.join(',') })}
        size="xs"
      />
      <Day
        label={words.orders.from}
        value={search.desde}
        onChange={(desde) => onChange({ desde })}
      />
      <Day label={words.orders.to} value={search.hasta} onChange={(hasta) => onChange({ hasta })} />
      {isAny && (
        <button type="button" className="link-button" onClick={() => onChange(NO_FILTERS)}>
          {words.parts.clear}
        </button>
      )}
    </div>
  );
}

function Day({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (day: string) => void;
}) {
  return (
    <label className="day">
      {label}
      <input type="date" value={value ?? ''} onChange={({ target }) => onChange(target.value)} />
    </label>
  );
}
