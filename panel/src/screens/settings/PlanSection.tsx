import { type FormEvent, useState } from 'react';
import type { Output } from '../../client.ts';
import { moneyText } from '../../format.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { When } from '../../parts/When.tsx';
import { useChange, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { addedBy } from './plan-facts.ts';
import { settingsWords, wishOutcomes } from './words.ts';

type PlanData = Output<'plan.read'>;
type Terms = PlanData['plans'][number];

/** The plan, what of the trial is left, and what each other plan adds. */
export function PlanSection({ mayAsk }: { mayAsk: boolean }) {
  const { data, error, refetch } = useRead('plan.read', {});
  return (
    <section className="part" aria-labelledby="plan" aria-busy={!data && !error}>
      <h2 id="plan">{settingsWords.plan.title}</h2>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!data && !error && <p role="status">{words.parts.loading}</p>}
      {data && (
        <>
          <Trial trial={data.trial} />
          {data.requested && (
            <p className="note">
              {settingsWords.plan.requested(data.requested.name)} <When at={data.requested.at} />
            </p>
          )}
          <ul className="plans">
            {data.plans.map((terms, at) => (
              <Plan key={terms.plan} terms={terms} former={data.plans[at - 1]} data={data} />
            ))}
          </ul>
          {mayAsk && data.support_email !== null && <Wish data={data} />}
          {!mayAsk && <p className="note">{settingsWords.plan.ofOwners}</p>}
          {mayAsk && data.support_email === null && (
            <p className="note">{settingsWords.plan.noContact(data.operator_name)}</p>
          )}
        </>
      )}
    </section>
  );
}

function Trial({ trial }: Pick<PlanData, 'trial'>) {
  if (trial === null) return null;
  return (
    <div className={trial.is_over ? 'note note-warn' : 'note'}>
      <p>
        {trial.is_over ? settingsWords.plan.ended : settingsWords.plan.ends}{' '}
        <When at={trial.ends_at} />
      </p>
      <p>{trial.is_over ? settingsWords.plan.readOnly : settingsWords.plan.afterwards}</p>
    </div>
  );
}

interface PlanProps {
  readonly terms: Terms;
  /** The plan before it, in the order of price. */
  readonly former: Terms | undefined;
  readonly data: PlanData;
}

function Plan({ terms, former, data }: PlanProps) {
  const isCurrent = terms.plan === data.current;
  const agreed = { requests_per_minute: data.requests_per_minute, custom_quota: false };
  return (
    <li className="tile" aria-current={isCurrent ? 'true' : undefined}>
      <h3>{terms.name}</h3>
      <p className="figure-main plan-price">{priceOf(terms)}</p>
      {isCurrent && <p className="current">{settingsWords.plan.current}</p>}
      <ul>
        {addedBy({ ...terms, ...(isCurrent && agreed) }, former).map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </li>
  );
}

/** The specification leaves the currency of prices unsaid. */
function priceOf({ price_per_month: price, trial_days: days }: Terms): string {
  if (days !== null) return settingsWords.plan.free(days);
  return price === null
    ? settingsWords.plan.agreed
    : settingsWords.plan.price(moneyText(price, '').trim());
}

function Wish({ data: { plans, current } }: { data: PlanData }) {
  const others = plans.filter(({ plan, trial_days }) => plan !== current && trial_days === null);
  const first = others.at(-1)?.plan ?? current;
  const { values, set, settle, isChanged } = useDraft('plan', { plan: first as string, note: '' });
  const [outcome, setOutcome] = useState<keyof typeof wishOutcomes | null>(null);
  const ask = useChange('plan.request', {
    onSuccess: (answer) => setOutcome(answer.outcome),
    onRefreshed: settle,
  });
  const wanted = others.find(({ plan }) => plan === values.plan)?.plan ?? first;
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    ask.mutate({ plan: wanted, ...(values.note.trim() && { note: values.note }) });
  };
  return (
    <form onSubmit={send}>
      <h3>{settingsWords.plan.ask}</h3>
      <Field
        label={settingsWords.plan.wanted}
        value={wanted}
        choices={others.map(({ plan, name }) => ({ value: plan, label: name }))}
        onChange={(value) => set('plan', value)}
      />
      <Field
        label={settingsWords.plan.note}
        hint={settingsWords.plan.noteHint}
        isLong
        value={values.note}
        onChange={(value) => set('note', value)}
      />
      <SaveRow
        label={settingsWords.plan.send}
        done={outcome ? wishOutcomes[outcome] : ''}
        isSending={ask.isPending}
        isDone={ask.isSuccess && !isChanged}
        isDisabled={false}
        failure={ask.error}
      />
    </form>
  );
}
