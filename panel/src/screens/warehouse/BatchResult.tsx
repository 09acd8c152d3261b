import { useEffect, useState } from 'react';
import type { Output } from '../../client.ts';
import { moneyText } from '../../format.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Money } from '../../parts/Money.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { When } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { queries } from '../../query-client.ts';
import { words } from '../../words.ts';
import { guideWords, OUTCOME_TONES, outcomes } from './guide-words.ts';
import { LabelButtons } from './LabelButtons.tsx';
import { ordersOf } from './line-names.ts';
import type { Chosen } from './use-chosen.ts';

type Batch = Output<'guides.batch'>;
type Result = Batch['results'][number];

interface BatchResultProps {
  readonly batchId: string;
  readonly onOpenLine: (lineId: string) => void;
  readonly onRetry: (lineIds: Chosen, account?: string) => void;
}

const AGAIN_EVERY_MS = 1_000;

/** What became of each line of a batch; while it runs, how far it is. */
export function BatchResult({ batchId, onOpenLine, onRetry }: BatchResultProps) {
  const [isOver, setOver] = useState(false);
  const { data, error, refetch } = useRead(
    'guides.batch',
    { batch_id: batchId },
    isOver ? {} : { againEveryMs: AGAIN_EVERY_MS },
  );
  const isDone = data?.state === 'done';
  useEffect(() => {
    if (!isDone) return;
    setOver(true);
    void queries.invalidateQueries({
      predicate: ({ queryKey: [name] }) => name !== 'guides.batch',
    });
  }, [isDone]);
  const failure = error && <FailureNote failure={error} onAgain={() => void refetch()} />;
  if (!data) return failure ?? <p role="status">{words.parts.loading}</p>;
  const { state, results, total, pending, costs, requested_at, by, account_id } = data;
  const failed = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'blocked');
  const countOf = (one: Result['outcome']) =>
    results.filter(({ outcome }) => outcome === one).length;
  const retry = () =>
    onRetry(new Map(failed.map((one) => [one.line_id, ordersOf(one)])), account_id ?? undefined);
  const labelled = results.filter((one) => isMade(one) && one.attempt_id !== null);
  return (
    <div className="details">
      {failure}
      <p role="status" className="batch-sum">
        {state === 'done'
          ? guideWords.done({
              made: countOf('generated'),
              had: countOf('already_generated'),
              unknown: countOf('unknown'),
              total,
            })
          : guideWords.running(total - pending, total)}
      </p>
      <p className="faint">
        {guideWords.askedBy(by)}, <When at={requested_at} />
      </p>
      {state === 'done' && costs && <Costs costs={costs} />}
      {state === 'running' && (
        <>
          <progress value={total - pending} max={total} aria-label={guideWords.result} />
          <p className="faint">{guideWords.goesOn}</p>
        </>
      )}
      {state === 'done' && (
        <p className="acts">
          {labelled.length > 1 && (
            <LabelButtons
              attemptIds={labelled.map(({ attempt_id }) => attempt_id ?? '')}
              askedAt={requested_at}
              hasPdf={labelled.some(({ has_pdf }) => has_pdf)}
              hasZpl={labelled.some(({ has_zpl }) => has_zpl)}
            />
          )}
          {failed.length > 0 && (
            <button type="button" className="button quiet" onClick={retry}>
              {guideWords.retry(failed.length)}
            </button>
          )}
        </p>
      )}
      <ul className="items">
        {results.map((result) => (
          <li key={result.line_id}>
            <OneResult result={result} onOpen={() => onOpenLine(result.line_id)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What the guides of this batch cost, of those whose carrier says it. */
function Costs({ costs: { made, known, sums } }: { costs: NonNullable<Batch['costs']> }) {
  if (made === 0) return null;
  const texts = sums.map(({ currency, amount }) => moneyText(amount, currency));
  return <p className="faint">{guideWords.costs(known, made, texts.join(', '))}</p>;
}

function OneResult({ result, onOpen }: { result: Result; onOpen: () => void }) {
  const { outcome, tracking, error, attempt_id, amount, available_balance, currency } = result;
  return (
    <>
      <div>
        <button type="button" className="link-button line-name" onClick={onOpen}>
          {ordersOf(result)}
        </button>
        <StatusBadge
          tone={outcome === null ? 'idle' : OUTCOME_TONES[outcome]}
          word={outcome === null ? guideWords.waiting : outcomes[outcome]}
        />
        {tracking && <code>{tracking}</code>}
        {error && <span>{error.message}</span>}
        {isMade(result) && attempt_id !== null && (
          <LabelButtons attemptIds={[attempt_id]} hasPdf={result.has_pdf} hasZpl={result.has_zpl} />
        )}
      </div>
      {currency !== undefined && isMade(result) && (
        <div className="number guide-cost">
          <Money amount={amount} currency={currency} absent={guideWords.noCost} />
          {typeof available_balance === 'number' && (
            <span className="faint">
              {guideWords.balance} <Money amount={available_balance} currency={currency} />
            </span>
          )}
        </div>
      )}
    </>
  );
}

function isMade({ outcome }: Result): boolean {
  return outcome === 'generated' || outcome === 'already_generated';
}
