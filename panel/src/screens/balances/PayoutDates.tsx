import type { Output } from '../../client.ts';
import { ToldDay } from '../../parts/When.tsx';
import { balanceWords } from './words.ts';

interface PayoutDatesProps {
  readonly dates: Pick<
    Output<'payouts.get'>['payout'],
    'status' | 'period_from' | 'period_to' | 'paid_at'
  >;
  /** Its name. */
  readonly marketplace: string;
}

/** The period that is paid and the day of the deposit, as far as the marketplace tells them. */
export function PayoutDates({ dates, marketplace }: PayoutDatesProps) {
  const { status, period_from: from, period_to: to, paid_at: paidAt } = dates;
  const isDue = status !== 'failed' && status !== 'cancelled';
  return (
    <>
      <dl className="facts">
        {to !== null && (
          <div>
            <dt>{from === null ? balanceWords.cut : balanceWords.cutPeriod}</dt>
            <dd>
              {from !== null && (
                <>
                  <ToldDay at={from} /> –{' '}
                </>
              )}
              <ToldDay at={to} />
            </dd>
          </div>
        )}
        {paidAt !== null && (
          <div>
            <dt>{balanceWords.depositedAt}</dt>
            <dd>
              <ToldDay at={paidAt} />
            </dd>
          </div>
        )}
      </dl>
      {paidAt === null && isDue && <p className="faint">{balanceWords.noDeposit(marketplace)}</p>}
    </>
  );
}
