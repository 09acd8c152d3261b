import { FailureNote } from '../../parts/FailureNote.tsx';
import { useChange, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { mailWords } from './words.ts';

/** Whether this person is mailed when an alert begins; changed at once. */
export function AlertMails() {
  const { data, error, refetch } = useRead('alerts.mails', {});
  const set = useChange('alerts.set-mails');
  const isWanted = set.isPending ? set.variables.wanted : data?.wanted;
  return (
    <section className="part" aria-labelledby="alert-mails" aria-busy={!data && !error}>
      <h2 id="alert-mails">{mailWords.title}</h2>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {isWanted !== undefined && (
        <label className="choice">
          <input
            type="checkbox"
            checked={isWanted}
            onChange={({ target }) => set.mutate({ wanted: target.checked })}
          />
          {mailWords.wanted}
        </label>
      )}
      <p className="faint hint">{mailWords.hint}</p>
      <p role="status">{set.isSuccess && !set.isPending ? words.parts.saved : ''}</p>
      {set.error && (
        <FailureNote
          failure={set.error}
          title={words.failures.notSaved}
          onAgain={() => set.mutate(set.variables ?? { wanted: true })}
        />
      )}
    </section>
  );
}
