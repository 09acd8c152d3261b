import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { useRead } from '../../queries.ts';
import { homeWords } from './words.ts';

type Day = Output<'sales.today'>['today'];
const AGAIN_EVERY_MS = 300_000;

/** Today beside the same weekday of last week; each currency apart. */
export function SalesCard() {
  const { data, error, refetch } = useRead('sales.today', {}, { againEveryMs: AGAIN_EVERY_MS });
  return (
    <section className="tile" aria-labelledby="sales">
      <h2 id="sales">{homeWords.sales}</h2>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p className="ghost ghost-figure" />}
      {data && <Figures today={data.today} before={data.week_before} />}
      {data && !data.is_complete && <p className="faint">{homeWords.counting}</p>}
    </section>
  );
}

function Figures({ today, before }: { today: Day; before: Day }) {
  const currencies = [...new Set([...today.totals, ...before.totals].map((one) => one.currency))];
  if (currencies.length === 0) return <p>{homeWords.noSales}</p>;
  const of = ({ totals }: Day, currency: string) =>
    totals.find((one) => one.currency === currency) ?? { orders: 0, units: 0, gross: 0 };
  return currencies.map((currency) => {
    const [now, then] = [of(today, currency), of(before, currency)];
    return (
      <div key={currency} className="figure">
        <p className="figure-main">
          <Money amount={now.gross} currency={currency} />
        </p>
        <p>
          {homeWords.orders(countText(now.orders), now.orders === 1)} ·{' '}
          {homeWords.pieces(countText(now.units), now.units === 1)}
        </p>
        <p className="faint">
          <Money amount={then.gross} currency={currency} /> {homeWords.before}
        </p>
      </div>
    );
  });
}
