import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { listOf, listText } from '../../address.ts';
import { organizationId } from '../../client.ts';
import { dayText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { ChoiceFilter } from '../../parts/ChoiceFilter.tsx';
import { DayFilter } from '../../parts/DayFilter.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ExportLink } from '../../parts/ExportLink.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { SelectFilter } from '../../parts/SelectFilter.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { useServices } from '../../parts/use-services.ts';
import { useRead } from '../../queries.ts';
import { timezones, words } from '../../words.ts';
import { homeWords } from '../home/words.ts';
import { Breakdown } from './Breakdown.tsx';
import { Currency } from './Currency.tsx';
import { type GROUPS, type SalesSearch, todayIn } from './periods.ts';
import { presetOf, presetsUntil } from './presets.ts';
import { salesWords } from './words.ts';

export const route = createLazyRoute('/ventas')({ component: SalesScreen });

function SalesScreen() {
  const search = useSearch({ from: '/ventas' });
  const navigate = useNavigate({ from: '/ventas' });
  const set = (next: SalesSearch) =>
    void navigate({
      search: (former) => ({ ...former, ...next }),
      replace: true,
      resetScroll: false,
    });
  const today = todayIn(useTimezone(), Date.now());
  const presets = presetsUntil(today);
  const usual = presets.find(({ name }) => name === 'days') ?? presets[0];
  const query = {
    from: search.desde ?? usual?.desde ?? '',
    to: search.hasta ?? usual?.hasta ?? '',
    marketplace: listOf(search.marketplace),
  };
  const { lapso = usual?.name } = search;
  const shown = presetOf(presets, { desde: query.from, hasta: query.to, lapso });
  const choose = (chosen: string) => {
    const { name: lapso, ...period } = presets.find(({ name }) => name === chosen) ?? {};
    set({ ...period, lapso });
  };
  const group = search.por ?? 'day';
  const { data, error, refetch } = useRead('sales.summary', { ...query, group_by: group });
  return (
    <section className="screen wide">
      <div className="screen-head">
        <h1>{salesWords.title}</h1>
        <ExportLink of="sales" days={{ desde: query.from, hasta: query.to }} />
      </div>
      <Tabs
        label={salesWords.period}
        names={presets.map(({ name }) => name)}
        chosen={shown?.name ?? null}
        wordOf={(name) => salesWords.presets[name]}
        onChoose={choose}
      />
      <SalesFilters query={query} group={group} onChange={set} />
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p className="ghost chart-ghost" />}
      {data && (
        <p className="faint count" role="status">
          {comparisonWith(data.before)} {salesWords.zone(timezones[data.timezone] ?? data.timezone)}
          {data.period.to === today && ` ${salesWords.unfinished(data.period.from === today)}`}
          {!data.is_complete && ` ${homeWords.counting}`}
        </p>
      )}
      {data?.totals.length === 0 && (
        <EmptyState text={salesWords.empty}>
          <PanelLink className="button quiet" address={`/panel/${organizationId}/ordenes`}>
            {salesWords.seeOrders}
          </PanelLink>
        </EmptyState>
      )}
      {data?.totals.map((total) => (
        <Currency
          key={total.currency}
          total={total}
          groups={data.groups.filter(({ currency }) => currency === total.currency)}
          period={data.period}
          group={group}
          isTable={search.tabla === 'si'}
          onTable={(isTable) => set({ tabla: isTable ? 'si' : undefined })}
        />
      ))}
      {data && data.totals.length > 0 && (
        <Breakdown
          query={query}
          part={search.parte ?? 'marketplace'}
          onPart={(parte) => set({ parte })}
        />
      )}
    </section>
  );
}

function comparisonWith({ from, to }: { readonly from: string; readonly to: string }): string {
  const isDay = from === to;
  return salesWords.compared(dayText(from, !isDay), dayText(to, !isDay));
}

interface FiltersProps {
  readonly query: { readonly from: string; readonly to: string; readonly marketplace: string[] };
  readonly group: (typeof GROUPS)[number];
  readonly onChange: (next: SalesSearch) => void;
}

function SalesFilters({ query, group, onChange }: FiltersProps) {
  const { marketplaces } = useServices();
  return (
    <div className="filters">
      <DayFilter
        label={words.orders.from}
        value={query.from}
        to={query.to}
        isRequired
        onChange={(desde) => desde !== undefined && onChange({ desde })}
      />
      <DayFilter
        label={words.orders.to}
        value={query.to}
        from={query.from}
        isRequired
        onChange={(hasta) => hasta !== undefined && onChange({ hasta })}
      />
      <SelectFilter
        label={salesWords.by}
        names={salesWords.groups}
        value={group}
        onChange={(por) => onChange({ por })}
      />
      <ChoiceFilter
        label={words.orders.marketplace}
        data={marketplaces.map(({ service, name }) => ({ value: service, label: name }))}
        value={query.marketplace}
        onChange={(chosen) => onChange({ marketplace: listText(chosen) })}
      />
    </div>
  );
}
