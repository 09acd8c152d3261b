import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { dayWords } from '../day-words.ts';
import { dayFault, readDay, steppedDay, typedDay } from '../days.ts';

interface DayFilterProps {
  readonly label: string;
  /** `2026-11-20`; undefined = any day. */
  readonly value: string | undefined;
  readonly onChange: (day: string | undefined) => void;
  /** The first and the last day that may be chosen. */
  readonly from?: string;
  readonly to?: string;
  /** The filter always has a day. */
  readonly isRequired?: boolean;
}

const STEPS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1 };

/**
 * A day as it is written in Mexico, `dd/mm/aaaa`, whatever the language of the browser. It is taken
 * by Enter or on leaving the field; the arrows go a day on or back.
 */
export function DayFilter({ label, value, onChange, from, to, isRequired }: DayFilterProps) {
  const id = useId();
  const calendar = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState({ of: value, text: typedDay(value) });
  const [fault, setFault] = useState<string | null>(null);
  // The address changed by another way than this field.
  if (shown.of !== value) {
    setShown({ of: value, text: typedDay(value) });
    setFault(null);
  }
  const take = (text: string) => {
    const day = readDay(text);
    const found = dayFault(text, day, { from, to, isRequired: isRequired === true });
    setFault(found);
    setShown({ of: value, text: found === null ? typedDay(day) : text });
    if (found === null && day !== value) onChange(day);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = STEPS[event.key];
    const day = readDay(event.currentTarget.value);
    if (event.key === 'Enter') take(event.currentTarget.value);
    if (step === undefined || day === undefined) return;
    event.preventDefault();
    take(typedDay(steppedDay(day, step)));
  };
  return (
    <div className="filter">
      <label className="day-label" htmlFor={id}>
        {label}
      </label>
      <div className="day-field">
        <input
          id={id}
          type="text"
          inputMode="numeric"
          autoComplete="off"
          maxLength={dayWords.pattern.length}
          placeholder={dayWords.pattern}
          value={shown.text}
          aria-invalid={fault !== null}
          aria-describedby={fault === null ? undefined : `${id}-fault`}
          onChange={({ target }) => setShown({ of: value, text: target.value })}
          onKeyDown={press}
          onBlur={({ target }) => take(target.value)}
        />
        <button
          type="button"
          aria-label={dayWords.choose(label)}
          onClick={() => calendar.current?.showPicker()}
        >
          <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <path d="M2 3.5h12v10H2zM2 6.5h12M5 1.5v3M11 1.5v3" fill="none" stroke="currentColor" />
          </svg>
        </button>
        <input
          ref={calendar}
          className="day-calendar"
          type="date"
          tabIndex={-1}
          aria-hidden="true"
          value={value ?? ''}
          min={from}
          max={to}
          onChange={({ target }) => take(typedDay(target.value || undefined))}
        />
      </div>
      {fault && (
        <p id={`${id}-fault`} className="day-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
