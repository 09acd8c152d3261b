import { type FormEvent, useEffect, useRef } from 'react';
import { warehouseWords } from './words.ts';

const LONGEST = 200;
const FIELD_ID = 'scan';
const HINT_ID = 'scan-hint';

/** Elements that take the keys themselves while they have the focus, or are open. */
const TAKES_KEYS = 'dialog[open], input:not([type="checkbox"]):focus, select:focus, textarea:focus';

/** Numbers begin with these; a small g begins a shortcut. */
function isOfNumber({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return /^[\dA-Za-fh-z#-]$/.test(key) && !ctrlKey && !metaKey && !altKey;
}

/** Before a drawer opens, so that the focus comes back to the field when it closes. */
export function focusScan(): void {
  document.getElementById(FIELD_ID)?.focus();
}

interface ScanFieldProps {
  /** A number begins outside of the field: what is over the screen makes room. */
  readonly onBegin: () => void;
  readonly onNumber: (number: string) => void;
}

/**
 * A scanner types and sends Enter: the field has the focus, has it again after each number, and gets
 * it when a number is typed where nothing takes it.
 */
export function ScanField({ onBegin, onNumber }: ScanFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    const catchNumber = (event: KeyboardEvent) => {
      if (!isOfNumber(event) || document.querySelector(TAKES_KEYS) !== null) return;
      onBegin();
      field.current?.focus();
    };
    document.addEventListener('keydown', catchNumber);
    return () => document.removeEventListener('keydown', catchNumber);
  }, [onBegin]);
  const take = (event: FormEvent) => {
    event.preventDefault();
    const input = field.current;
    const number = input?.value.trim() ?? '';
    if (!input || number === '') return;
    input.value = '';
    input.focus();
    onNumber(number);
  };
  return (
    <form className="scan" onSubmit={take}>
      <label htmlFor={FIELD_ID}>{warehouseWords.scan}</label>
      <p id={HINT_ID}>{warehouseWords.scanHint}</p>
      <div>
        <input
          id={FIELD_ID}
          ref={field}
          type="text"
          inputMode="search"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={LONGEST}
          aria-describedby={HINT_ID}
        />
        <button type="submit" className="button">
          {warehouseWords.search}
        </button>
      </div>
    </form>
  );
}
