import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../client.ts';
import { countText, dayOfText } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { OrderLink } from '../../parts/OrderLink.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { StatusBadge, type Tone } from '../../parts/StatusBadge.tsx';
import { useChange, useRead } from '../../queries.ts';
import { checking } from './words.ts';

type Result = Output<'connections.check-result'>;
type Check = NonNullable<Result['check']>;
type Outcome = Check['missing'][number]['outcome'];

const AGAIN_EVERY_MS = 1_000;
const DAYS = ['1', '7', '30', '90'];
const MONTHS = ['this', 'last'] as const;
const USUAL = '7';
const TONES: Readonly<Record<Outcome, Tone>> = {
  fetched: 'good',
  unreadable: 'bad',
  not_given: 'warn',
  not_tried: 'warn',
};

interface CheckOrdersProps {
  readonly connectionId: string;
  readonly service: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly serviceName: string;
}

/** «¿Está todo?»: the orders that the marketplace lists, compared with ours. */
export function CheckOrders(props: CheckOrdersProps) {
  const { connectionId, accountName, serviceName } = props;
  const { isOpen, jobId, show, follow } = useCheck(connectionId);
  /** Days, or a month. */
  const [period, setPeriod] = useState(USUAL);
  const begin = useChange('connections.check-orders', {
    onSuccess: ({ job_id }) => follow(job_id),
  });
  const [isOver, setOver] = useState(false);
  const { data, error } = useRead(
    'connections.check-result',
    { job_id: jobId ?? '' },
    { isEnabled: isOpen && jobId !== null, ...(!isOver && { againEveryMs: AGAIN_EVERY_MS }) },
  );
  const hasEnded = data !== undefined && data.state !== 'waiting';
  if (hasEnded !== isOver) setOver(hasEnded);
  const isRunning = begin.isPending || (jobId !== null && !hasEnded && error === null);
  const month = MONTHS.find((name) => name === period);
  const start = () =>
    begin.mutate({
      connection_id: connectionId,
      ...(month ? { month } : { days: Number(period) }),
    });
  return (
    <>
      <button className="link-button" type="button" onClick={() => show(true)}>
        {checking.open}
      </button>
      <SidePanel
        isOpen={isOpen}
        title={checking.title(serviceName, accountName)}
        onClose={() => show(false)}
      >
        <div className="form">
          <p>{checking.intro(serviceName)}</p>
          <form
            className="filters"
            onSubmit={(event) => {
              event.preventDefault();
              start();
            }}
          >
            <label className="filter">
              {checking.period}
              <select value={period} onChange={({ target }) => setPeriod(target.value)}>
                {DAYS.map((days) => (
                  <option key={days} value={days}>
                    {checking.days(Number(days))}
                  </option>
                ))}
                {MONTHS.map((name) => (
                  <option key={name} value={name}>
                    {checking.months[name]}
                  </option>
                ))}
              </select>
            </label>
            <BusyButton className="button" type="submit" isBusy={isRunning}>
              {isRunning ? checking.running : checking.start}
            </BusyButton>
          </form>
          {month === 'last' && <p className="faint">{checking.untilNow}</p>}
          {begin.error && <FailureNote failure={begin.error} onAgain={start} />}
          {error && <FailureNote failure={error} onAgain={start} />}
          <div aria-live="polite">
            {isRunning && <p className="faint">{checking.patience}</p>}
            {!isRunning && data?.error && <p role="alert">{data.error.message}</p>}
            {!isRunning && data?.check && <Found {...props} check={data.check} />}
          </div>
        </div>
      </SidePanel>
    </>
  );
}

/** Whether it is open, and its job: the address has both, so that one comes back to what it found. */
function useCheck(connectionId: string) {
  const { revisar, trabajo } = useSearch({ from: '/conexiones' });
  const navigate = useNavigate({ from: '/conexiones' });
  const isOpen = revisar === connectionId;
  const [jobId, setJobId] = useState((isOpen && trabajo) || null);
  const show = (isShown: boolean, job = jobId) =>
    void navigate({
      search: (former) => ({
        ...former,
        revisar: isShown ? connectionId : undefined,
        trabajo: isShown && job !== null ? job : undefined,
      }),
      resetScroll: false,
      replace: isOpen,
    });
  const follow = (job: string) => {
    setJobId(job);
    if (isOpen) show(true, job);
  };
  return { isOpen, jobId, show, follow };
}

interface FoundProps extends CheckOrdersProps {
  readonly check: Check;
}

function Found({ check, service, accountId, serviceName }: FoundProps) {
  const { has_list, from, to, listed, stored, missing, missing_count, stopped } = check;
  const timezone = useTimezone();
  if (!has_list) return <p>{checking.noList(serviceName)}</p>;
  const isRepaired = stopped === null && missing.every(({ outcome }) => outcome === 'fetched');
  return (
    <div className="form">
      <p>
        <StatusBadge tone={isRepaired ? 'good' : 'warn'} word={wordOf(check, isRepaired)} />
      </p>
      {from && to && <p>{checking.compared(dayOfText(from, timezone), dayOfText(to, timezone))}</p>}
      <p className="faint">{checking.listed(serviceName, countText(listed), countText(stored))}</p>
      {stopped && <p role="alert">{stopped}</p>}
      <ul className="streams">
        {missing.map(({ id, outcome }) => (
          <li key={id}>
            {outcome === 'fetched' ? (
              <OrderLink order={{ order_id: id, marketplace: service, account_id: accountId }}>
                <code>{id}</code>
              </OrderLink>
            ) : (
              <code>{id}</code>
            )}
            <StatusBadge tone={TONES[outcome]} word={checking.outcomes[outcome]} />
          </li>
        ))}
      </ul>
      {missing_count > missing.length && (
        <p className="faint">{checking.more(countText(missing_count - missing.length))}</p>
      )}
    </div>
  );
}

function wordOf({ missing_count }: Check, isRepaired: boolean): string {
  if (missing_count === 0) return isRepaired ? checking.whole : checking.notWhole;
  const count = countText(missing_count);
  return isRepaired ? checking.repaired(count) : checking.missing(count);
}
