import type { CallFailure } from '../client.ts';
import { words } from '../words.ts';
import { BusyButton } from './BusyButton.tsx';
import { FailureNote } from './FailureNote.tsx';

interface SaveRowProps {
  readonly label: string;
  readonly isSending: boolean;
  readonly isDone: boolean;
  readonly isDisabled: boolean;
  readonly done: string;
  /** Of the last try, unless a field shows it. */
  readonly failure: CallFailure | null;
}

/** The end of a form: its button, which also retries, and the result. */
export function SaveRow(props: SaveRowProps) {
  const { label, isSending, isDone, isDisabled, done, failure } = props;
  return (
    <>
      <p className="save-row">
        <BusyButton type="submit" className="button" isBusy={isSending || isDisabled}>
          {isSending ? words.parts.saving : label}
        </BusyButton>
        <span role="status">{isDone && !isSending ? done : ''}</span>
      </p>
      {failure && <FailureNote failure={failure} title={words.failures.notSaved} />}
    </>
  );
}
