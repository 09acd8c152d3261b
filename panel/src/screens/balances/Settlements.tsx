import { listOf, listText } from '../../address.ts';
import type { Output } from '../../client.ts';
import { ChangesNote } from '../../parts/ChangesNote.tsx';
import { ChoiceFilter } from '../../parts/ChoiceFilter.tsx';
import { ClearFilters } from '../../parts/ClearFilters.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { ExportLink } from '../../parts/ExportLink.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { ToldDay } from '../../parts/When.tsx';
import { useList } from '../../queries.ts';
import { settlementStatuses, words } from '../../words.ts';
import { FILTERS, filtersOf, type PayoutSearch } from './search.ts';
import { PAYOUT_TONES } from './tones.ts';
import { balanceWords } from './words.ts';
import './balances.css';

type Settlement = Output<'settlements.list'>['data'][number];

interface SettlementsProps {
  readonly search: PayoutSearch;
  readonly onChange: (next: Partial<PayoutSearch>) => void;
  readonly onOpen: (next: Partial<PayoutSearch>) => void;
}

/** Payouts follow sync runs, which the organisation's clock does not cover. */
const AGAIN_MS = 60_000;
/** The place of the list in its page. */
export const PAYOUTS = 'pagos';

/** What the marketplaces paid out, newest first. */
export function Settlements({ search, onChange, onOpen }: SettlementsProps) {
  const list = useList('settlements.list', filtersOf(search), { againEveryMs: AGAIN_MS });
  const { nameOf, marketplaces } = useServices();
  const places = marketplaces
    .filter(({ tells_net }) => tells_net)
    .map(({ service, name }) => ({ value: service, label: name }));
  const isEmpty = !list.isLoading && list.rows.length === 0;
  return (
    <section className="payouts" aria-labelledby={PAYOUTS}>
      <h2 id={PAYOUTS} className="section-head">
        {balanceWords.settlements}
      </h2>
      <div className="filters">
        <ChoiceFilter
          label={words.orders.marketplace}
          data={places}
          value={listOf(search.canal)}
          onChange={(chosen) => onChange({ canal: listText(chosen) })}
        />
        <ClearFilters names={FILTERS} search={search} onChange={onChange} />
      </div>
      {!isEmpty && (
        <p className="acts">
          <ExportLink of="payouts" marketplaces={search.canal} />
        </p>
      )}
      <ChangesNote list={list} />
      {isEmpty && !list.failure && (
        <p className="faint">
          {search.canal ? balanceWords.noneFiltered : balanceWords.noSettlements}
        </p>
      )}
      {!isEmpty && (
        <DataTable
          label={balanceWords.settlements}
          columns={columnsWith(nameOf)}
          keyOf={({ marketplace, account_id, id }) => keyOf(marketplace, account_id, id)}
          onOpen={({ marketplace, account_id, id }) =>
            onOpen({ marketplace, cuenta: account_id, pago: id })
          }
          openKey={keyOf(search.marketplace, search.cuenta, search.pago)}
          {...list}
        />
      )}
      {list.failure && <FailureNote failure={list.failure} onAgain={list.again} />}
    </section>
  );
}

function keyOf(...parts: (string | undefined)[]): string {
  return parts.join(' ');
}

/** The day of the deposit; where the marketplace does not tell it, the end of what is paid. */
function dayOf({ paid_at, period_to }: Settlement) {
  if (paid_at) return <ToldDay at={paid_at} />;
  if (!period_to) return words.parts.none;
  return (
    <>
      {balanceWords.cut} <ToldDay at={period_to} />
    </>
  );
}

/** The keys place the facts on a narrow screen. */
function columnsWith(nameOf: (slug: string) => string): Column<Settlement>[] {
  const money = (amount: number | null, currency: string) => (
    <Money amount={amount} currency={currency} absent={balanceWords.notReported} />
  );
  return [
    {
      key: 'id',
      title: balanceWords.payout,
      width: '12rem',
      cell: ({ id }) => <code title={id}>{id}</code>,
    },
    {
      key: 'date',
      title: balanceWords.paidAt,
      width: '9.75rem',
      cell: dayOf,
    },
    {
      key: 'marketplace',
      title: words.orders.marketplace,
      width: '9.5rem',
      cell: ({ marketplace }) => <ServiceMark name={nameOf(marketplace)} />,
    },
    {
      key: 'status',
      title: words.orders.status,
      width: '7.5rem',
      cell: ({ status, marketplace_status }) => (
        <StatusBadge
          tone={PAYOUT_TONES[status] ?? 'idle'}
          word={settlementStatuses[status] ?? marketplace_status}
        />
      ),
    },
    {
      key: 'buyer',
      title: balanceWords.reference,
      cell: ({ id, reference }) =>
        reference !== null && reference !== id ? (
          <span title={reference}>{reference}</span>
        ) : (
          <span className="faint absent">{words.parts.none}</span>
        ),
    },
    {
      key: 'aside',
      title: balanceWords.fees,
      width: '9rem',
      isNumber: true,
      cell: ({ fees, currency }) => money(fees && -fees, currency),
    },
    {
      key: 'total',
      title: balanceWords.net,
      width: '9.5rem',
      isNumber: true,
      cell: ({ net, currency }) => money(net, currency),
    },
  ];
}
