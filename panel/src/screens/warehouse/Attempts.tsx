import { useState } from 'react';
import type { Output } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { Money } from '../../parts/Money.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useServices } from '../../parts/use-services.ts';
import { When } from '../../parts/When.tsx';
import { useChange } from '../../queries.ts';
import { words } from '../../words.ts';
import { guideWords } from './guide-words.ts';
import { LabelButtons } from './LabelButtons.tsx';
import { useJob } from './use-job.ts';
import { ATTEMPT_TONES, attemptStates, warehouseWords } from './words.ts';

type Line = Output<'lines.get'>['data'];
type Attempt = Line['attempts'][number];

/** Every try to obtain a guide for the line, the newest first. */
export function Attempts({ line: { attempts, moves } }: { line: Line }) {
  const { operations = [], organization } = useFrame().data ?? {};
  const mayPrint = operations.includes('guides.labels');
  const maySettle = operations.includes('guides.settle');
  // After the trial the others may not cancel it either.
  const asksToCancel = !operations.includes('guides.cancel') && !organization?.is_trial_over;
  return (
    <>
      <h3>{warehouseWords.attempts}</h3>
      {attempts.length === 0 && <p className="faint">{warehouseWords.noAttempts}</p>}
      <ul className="items">
        {attempts.toReversed().map((attempt) => (
          <li key={attempt.attempt_id}>
            <div className="attempt">
              <Facts attempt={attempt} />
              {mayPrint && isValid(attempt) && (
                <LabelButtons
                  attemptIds={[attempt.attempt_id]}
                  hasPdf={attempt.has_pdf}
                  hasZpl={attempt.has_zpl}
                />
              )}
              {isValid(attempt) && moves.includes('cancel_guide') && <Cancel attempt={attempt} />}
              {isValid(attempt) && asksToCancel && (
                <span className="faint">{guideWords.askToCancel}</span>
              )}
              {maySettle && attempt.state === 'unknown' && <Settle attempt={attempt} />}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function isValid({ state, cancelled_at }: Attempt): boolean {
  return state === 'ok' && cancelled_at === null;
}

function Facts({ attempt }: { attempt: Attempt }) {
  const { nameOf } = useServices();
  const { state, tracking, error, carrier, reference, cancelled_at, amount, currency } = attempt;
  const word = cancelled_at === null ? attemptStates[state] : warehouseWords.cancelled;
  return (
    <>
      <StatusBadge tone={cancelled_at === null ? ATTEMPT_TONES[state] : 'idle'} word={word} />
      {tracking && <code>{tracking}</code>}
      {error && <span>{error.message}</span>}
      <span className="faint">
        {nameOf(carrier)} · {warehouseWords.reference} <code>{reference}</code> ·{' '}
        <When at={cancelled_at ?? attempt.settled_at ?? attempt.sent_at ?? attempt.queued_at} />
      </span>
      {typeof amount === 'number' && currency && <Money amount={amount} currency={currency} />}
    </>
  );
}

/** Cancels the guide at the carrier. */
function Cancel({ attempt: { attempt_id, tracking } }: { attempt: Attempt }) {
  const [isAsking, setAsking] = useState(false);
  const job = useJob('cancel_guide');
  const cancel = useChange('guides.cancel', { onSuccess: ({ job_id }) => job.follow(job_id) });
  const isBusy = cancel.isPending || job.isRunning;
  const refused = job.result?.error ?? null;
  const failure = cancel.error ?? job.error;
  const send = () => cancel.mutate({ attempt_id });
  return (
    <>
      <span>
        <BusyButton className="link-button danger" isBusy={isBusy} onClick={() => setAsking(true)}>
          {guideWords.cancel}
        </BusyButton>
      </span>
      <span role="status">{isBusy && guideWords.cancelling}</span>
      {!isBusy && refused && (
        <p className="fault" role="alert">
          {refused.message}
        </p>
      )}
      {!isBusy && failure && (
        <FailureNote failure={failure} title={words.failures.notSaved} onAgain={send} />
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={guideWords.cancelTitle(tracking ?? '')}
        action={guideWords.cancel}
        onClose={() => setAsking(false)}
        onConfirm={send}
      >
        <p>{guideWords.cancelLoses}</p>
        <p>{guideWords.cancelKeeps}</p>
      </ConfirmDialog>
    </>
  );
}

/** The answer was lost: a person says what the carrier has. */
function Settle({ attempt: { attempt_id } }: { attempt: Attempt }) {
  const [isAsking, setAsking] = useState(false);
  const { values, set, settle } = useDraft(`attempt:${attempt_id}`, { number: '' });
  const save = useChange('guides.settle', { onRefreshed: settle });
  const number = values.number.trim();
  const send = (tracking: string | null) =>
    save.mutate({ attempt_id, ...(tracking !== null && { tracking_number: tracking }) });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (number !== '') send(number);
      }}
    >
      <p className="faint">{guideWords.settleHelp}</p>
      <Field
        label={guideWords.settleNumber}
        value={values.number}
        fault={save.error?.message ?? null}
        onChange={(value) => set('number', value)}
      />
      <p className="acts">
        <BusyButton type="submit" className="button" isBusy={number === '' || save.isPending}>
          {guideWords.settle}
        </BusyButton>
        <BusyButton className="link-button" isBusy={save.isPending} onClick={() => setAsking(true)}>
          {guideWords.absent}
        </BusyButton>
      </p>
      <ConfirmDialog
        isOpen={isAsking}
        title={guideWords.absentTitle}
        action={guideWords.absent}
        onClose={() => setAsking(false)}
        onConfirm={() => send(null)}
      >
        <p>{guideWords.absentLoses}</p>
        <p>{guideWords.absentWarns}</p>
      </ConfirmDialog>
    </form>
  );
}
