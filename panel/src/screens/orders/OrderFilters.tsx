import { listOf, listText } from '../../address.ts';
import { openWords } from '../../open-words.ts';
import { ChoiceFilter } from '../../parts/ChoiceFilter.tsx';
import { DayFilters } from '../../parts/DayFilters.tsx';
import { Filters } from '../../parts/Filters.tsx';
import { TextFilter } from '../../parts/TextFilter.tsx';
import { useServices } from '../../parts/use-services.ts';
import { useRead } from '../../queries.ts';
import { statuses, words } from '../../words.ts';
import { FILTERS, type OrderSearch } from './search.ts';

const STATUSES = Object.entries(statuses).map(([value, label]) => ({ value, label }));
const OPEN_TAGS = Object.entries(openWords.kinds).map(([value, label]) => ({ value, label }));

interface OrderFiltersProps {
  readonly search: OrderSearch;
  readonly onChange: (next: Partial<OrderSearch>) => void;
}

export function OrderFilters({ search, onChange }: OrderFiltersProps) {
  const { marketplaces } = useServices();
  const { data: found } = useRead('orders.words', {});
  const places = marketplaces.map(({ service, name }) => ({ value: service, label: name }));
  const lists = [
    { name: 'estado', label: words.orders.status, data: STATUSES, isRaw: false },
    { name: 'marketplace', label: words.orders.marketplace, data: places, isRaw: false },
    { name: 'pago', label: words.orders.payment, data: found?.payment ?? [], isRaw: true },
    {
      name: 'surtido',
      label: words.orders.fulfillment,
      data: found?.fulfillment ?? [],
      isRaw: true,
    },
    { name: 'posventa', label: openWords.filter, data: OPEN_TAGS, isRaw: false },
  ] as const;
  return (
    <Filters
      className="filters-orders"
      names={FILTERS}
      search={search}
      onChange={onChange}
      first={
        <TextFilter
          label={words.orders.search}
          hint={words.orders.searchHint}
          about={words.orders.searched}
          value={search.buscar}
          isWide
          onChange={(buscar) => onChange({ buscar })}
        />
      }
    >
      {lists.map(({ name, label, data, isRaw }) => (
        <ChoiceFilter
          key={name}
          label={label}
          data={data}
          isRaw={isRaw}
          value={listOf(search[name])}
          onChange={(chosen) => onChange({ [name]: listText(chosen) })}
        />
      ))}
      <DayFilters words={words.orders} search={search} onChange={onChange} />
    </Filters>
  );
}
