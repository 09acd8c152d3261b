import { useId } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  /** What is wrong with it; null = nothing. */
  readonly fault: string | null;
  readonly isSecret?: boolean;
  readonly onChange: (value: string) => void;
}

/** A text that is typed, with its hint and its fault beside it. */
export function Field({ label, hint, value, fault, isSecret, onChange }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={isSecret ? 'password' : 'text'}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={value}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-hint ${id}-fault`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-hint`} className="faint">
        {hint}
      </p>
      <p id={`${id}-fault`} className="fault">
        {fault}
      </p>
    </div>
  );
}
