import { useState } from 'react';
import { type Output, organizationId } from '../../client.ts';
import { useMay } from '../../frame/use-frame.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { Money } from '../../parts/Money.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { Age } from '../../parts/When.tsx';
import { useChange, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { guideWords } from './guide-words.ts';
import { isOfEveryLine, NotReady } from './NotReady.tsx';
import { ObstacleNote } from './ObstacleNote.tsx';
import { Parcel } from './Parcel.tsx';
import type { Chosen } from './use-chosen.ts';

type Plan = Output<'guides.plan'>;
type Planned = Plan['lines'][number];

/** Ready lines beyond these are folded, so that those that lack something are in sight. */
const MOST_IN_SIGHT = 5;
const AGAIN_EVERY_MS = 10_000;

interface ReviewProps {
  readonly chosen: Chosen;
  readonly account: string | undefined;
  readonly onAccount: (account: string | undefined) => void;
  readonly onBatch: (batchId: string) => void;
  readonly onOpenLine: (lineId: string) => void;
}

/** What a batch of these lines would ask of the carrier, and what keeps the others from it. */
export function Review({ chosen, account, onAccount, onBatch, onOpenLine }: ReviewProps) {
  const input = { line_ids: [...chosen.keys()], ...(account && { account_id: account }) };
  const {
    data: plan,
    error,
    refetch,
    isFetching,
    isStale,
  } = useRead('guides.plan', input, {
    isEnabled: chosen.size > 0,
    // Other people work on these lines, too.
    againEveryMs: AGAIN_EVERY_MS,
  });
  if (chosen.size === 0) return <p>{guideWords.nothingChosen}</p>;
  const failure = error && <FailureNote failure={error} onAgain={() => void refetch()} />;
  if (!plan) return failure ?? <p role="status">{guideWords.checking(chosen.size)}</p>;
  // In the order in which they were chosen.
  const order = [...chosen.keys()];
  const lines = plan.lines.toSorted(
    (one, other) => order.indexOf(one.line_id) - order.indexOf(other.line_id),
  );
  const ready = lines.filter(({ readiness }) => readiness === 'ready');
  const withGuide = lines.filter(({ readiness }) => readiness === 'has_guide');
  const others = lines.filter(
    ({ readiness }) => readiness === 'blocked' || readiness === 'waiting',
  );
  const obstacle = others.flatMap(({ lacks }) => lacks).find(isOfEveryLine);
  // A line changed since: until the answer, what is shown is old.
  const isChecking = isFetching && isStale;
  const nameOf = ({ line_id }: Planned) => chosen.get(line_id) ?? line_id;
  return (
    <div className="details">
      {failure}
      <Account plan={plan} account={account} onAccount={onAccount} />
      {obstacle && <ObstacleNote obstacle={obstacle} />}
      <h3>{isChecking ? guideWords.checkingAgain : guideWords.ready(ready.length)}</h3>
      {ready.length + others.length === 0 ? (
        <p className="note">{guideWords.allHaveGuide}</p>
      ) : (
        <Confirm
          key={`${account} ${ready.map(({ line_id }) => line_id)}`}
          lineIds={ready.map(({ line_id }) => line_id)}
          account={account}
          plan={plan}
          onBatch={onBatch}
        />
      )}
      <details className="ready-lines" open={others.length === 0 || ready.length <= MOST_IN_SIGHT}>
        <summary hidden={ready.length === 0}>{guideWords.readyLines}</summary>
        <ul className="items">
          {ready.map((line) => (
            <li key={line.line_id}>
              <div>
                <strong>{nameOf(line)}</strong>
                <Parcel line={line} />
                <span className="faint">{guideWords.packages(line.packages)}</span>
              </div>
              <div className="number">{measuresOf(line)}</div>
            </li>
          ))}
        </ul>
      </details>
      {withGuide.length > 0 && (
        <>
          <h3>{guideWords.withGuide(withGuide.length)}</h3>
          <LineNames lines={withGuide} nameOf={nameOf} onOpenLine={onOpenLine} />
        </>
      )}
      {others.length > 0 && (
        <>
          <h3>{isChecking ? guideWords.checkingAgain : guideWords.notReady(others.length)}</h3>
          <NotReady lines={others} nameOf={nameOf} onOpenLine={onOpenLine} />
        </>
      )}
    </div>
  );
}

interface AccountProps {
  readonly plan: Plan;
  readonly account: string | undefined;
  readonly onAccount: (account: string | undefined) => void;
}

/** Lines by name; each leads to its own. */
function LineNames({
  lines,
  nameOf,
  onOpenLine,
}: Pick<ReviewProps, 'onOpenLine'> & {
  readonly lines: readonly Planned[];
  readonly nameOf: (line: Planned) => string;
}) {
  return (
    <ul className="items">
      {lines.map((line) => (
        <li key={line.line_id}>
          <button
            type="button"
            className="link-button line-name"
            onClick={() => onOpenLine(line.line_id)}
          >
            {nameOf(line)}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Whose guides they would be. */
function Account({ plan, account, onAccount }: AccountProps) {
  const mayChange = useMay('logistics.change');
  return (
    <>
      <p>
        {plan.account
          ? guideWords.with(plan.carrier, plan.account.name, plan.service_type)
          : plan.carrier}
      </p>
      <p className="note">
        {guideWords.goods(plan.goods.content, plan.goods.product_id)}{' '}
        {mayChange ? (
          <PanelLink address={`/panel/${organizationId}/ajustes`}>
            {guideWords.changeGoods}
          </PanelLink>
        ) : (
          guideWords.askForGoods
        )}
      </p>
      {plan.account?.is_paused && (
        <p className="note note-warn">{guideWords.paused(plan.carrier, plan.account.name)}</p>
      )}
      {plan.accounts.length > 1 && (
        <Field
          label={guideWords.account}
          value={account ?? ''}
          choices={[
            { value: '', label: guideWords.usualAccount },
            ...plan.accounts.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(id) => onAccount(id === '' ? undefined : id)}
        />
      )}
    </>
  );
}

interface ConfirmProps {
  readonly lineIds: readonly string[];
  readonly account: string | undefined;
  readonly plan: Plan;
  readonly onBatch: (batchId: string) => void;
}

/** The button that costs money; pressed again after a lost answer, it asks for nothing twice. */
function Confirm({ lineIds, account, plan, onBatch }: ConfirmProps) {
  const [key] = useState(newKey);
  const request = useChange('guides.request', {
    onSuccess: ({ batch_id }) => onBatch(batch_id),
  });
  if (lineIds.length === 0) return <p className="note note-warn">{guideWords.noneReady}</p>;
  const send = () =>
    request.mutate({
      line_ids: [...lineIds],
      idempotency_key: key,
      ...(account && { account_id: account }),
    });
  return (
    <>
      <p className="note">{guideWords.cost(plan.carrier)}</p>
      {plan.balance && (
        <p className="note">
          {guideWords.lastBalance(plan.carrier)}{' '}
          <Money amount={plan.balance.available} currency={plan.balance.currency} /> (
          <Age at={plan.balance.taken_at} />)
        </p>
      )}
      <p>
        <BusyButton className="button" isBusy={request.isPending} onClick={send}>
          {request.isPending ? words.parts.saving : guideWords.generate(lineIds.length)}
        </BusyButton>
      </p>
      {request.error && (
        <FailureNote failure={request.error} title={guideWords.notAsked} onAgain={send} />
      )}
    </>
  );
}

function measuresOf({ weight_kg, length_cm, width_cm, height_cm }: Planned): string {
  return guideWords.measures(Number(weight_kg), [length_cm, width_cm, height_cm].map(Number));
}

const KEY_BYTES = 16;

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
