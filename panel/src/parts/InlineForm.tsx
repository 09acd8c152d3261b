import type { ComponentProps, ReactNode } from 'react';
import type { CallFailure } from '../client.ts';
import { words } from '../words.ts';
import { BusyButton } from './BusyButton.tsx';

type InputProps = Pick<ComponentProps<'input'>, 'inputMode' | 'maxLength' | 'required'>;

interface InlineFormProps extends InputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: ReactNode;
  readonly isSending: boolean;
  /** Of the last try. */
  readonly failure: CallFailure | null;
  readonly onSave: () => void;
  /** Also by Escape. */
  readonly onClose: () => void;
}

/** One field that takes the place of the button which opened it. */
export function InlineForm(props: InlineFormProps) {
  const { label, value, onChange, hint, isSending, failure, onSave, onClose, ...input } = props;
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <input
        {...input}
        // biome-ignore lint/a11y/noAutofocus: it appears because its button was pressed
        autoFocus
        // It closes once it is saved.
        readOnly={isSending}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        aria-label={label}
        placeholder={label}
        onKeyDown={({ key }) => key === 'Escape' && onClose()}
      />
      <BusyButton type="submit" className="button" isBusy={isSending}>
        {words.parts.save}
      </BusyButton>
      <button type="button" className="button quiet" onClick={onClose}>
        {words.parts.cancel}
      </button>
      {failure && (
        <span className="fault" role="alert">
          {failure.message}
        </span>
      )}
      {hint && <span className="faint">{hint}</span>}
    </form>
  );
}
