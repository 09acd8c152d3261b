import { useEffect, useId } from 'react';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  /** What is wrong with it; null = nothing. */
  readonly fault?: string | null;
  /** The values to choose from; without them it is typed. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[] | undefined;
  readonly isLong?: boolean;
  /** It is hidden while it is typed. */
  readonly isSecret?: boolean;
}

/** A labelled field of a form, with its hint and its fault beside it. */
export function Field({
  label,
  value,
  onChange,
  hint,
  fault = null,
  choices,
  isLong = false,
  isSecret = false,
}: FieldProps) {
  const id = useId();
  useEffect(() => {
    const first = document.querySelector<HTMLElement>('[aria-invalid=true]');
    if (fault !== null && first?.id === id) first.focus();
  }, [fault, id]);
  const common = {
    id,
    value,
    'aria-describedby': hint || fault ? `${id}-more` : undefined,
    'aria-invalid': fault !== null,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {choices && (
        <select {...common}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
      {!choices &&
        (isLong ? (
          <textarea rows={3} {...common} />
        ) : (
          <input
            {...common}
            type={isSecret ? 'password' : 'text'}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        ))}
      {(hint || fault) && (
        <p id={`${id}-more`} className={fault ? 'fault' : 'faint hint'}>
          {fault ?? hint}
        </p>
      )}
    </div>
  );
}
