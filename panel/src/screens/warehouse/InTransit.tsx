import { useState } from 'react';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { useChange } from '../../queries.ts';
import { transitWords } from './guide-words.ts';
import { useJob } from './use-job.ts';

/** «En camino»: asks first, then shows the state that was read back at the carrier. */
export function InTransit({ lineId, isAllowed }: { lineId: string; isAllowed: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const [account, setAccount] = useState('');
  const job = useJob('in_transit');
  const press = useChange('lines.set-in-transit', {
    onSuccess: ({ job_id }) => job.follow(job_id),
  });
  const refused = job.result?.error ?? null;
  const accounts = refused?.accounts ?? [];
  const failure = press.error ?? job.error;
  const isBusy = press.isPending || job.isRunning;
  const send = () =>
    press.mutate({ line_id: lineId, ...(account !== '' && { account_id: account }) });
  return (
    <>
      {isAllowed && (
        <p className="acts">
          <BusyButton className="button quiet" isBusy={isBusy} onClick={() => setAsking(true)}>
            {transitWords.set}
          </BusyButton>
        </p>
      )}
      {isAllowed && accounts.length > 0 && (
        <Field
          label={transitWords.account}
          value={account}
          choices={[
            { value: '', label: '' },
            ...accounts.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={setAccount}
        />
      )}
      <p role="status">
        {isBusy && transitWords.asking}
        {job.result?.state === 'done' && doneText(job.result.carrier_status)}
      </p>
      {!isBusy && refused && (
        <div className="failure" role="alert">
          <h2>{transitWords.failed}</h2>
          <p>{refused.message}</p>
        </div>
      )}
      {!isBusy && failure && (
        <FailureNote failure={failure} title={transitWords.failed} onAgain={send} />
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={transitWords.title}
        action={transitWords.set}
        isDanger={false}
        onClose={() => setAsking(false)}
        onConfirm={send}
      >
        <p>{transitWords.does}</p>
        <p>{transitWords.keeps}</p>
      </ConfirmDialog>
    </>
  );
}

function doneText(status: string | null): string {
  return status === null ? transitWords.doneBefore : transitWords.done;
}
