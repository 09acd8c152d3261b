import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useId, useRef } from 'react';
import { words } from '../words.ts';

interface TextFilterProps {
  readonly label: string;
  /** What may be typed. */
  readonly hint?: string;
  /** All that it searches. */
  readonly about?: string;
  readonly value: string | undefined;
  /** Takes the room of several filters. */
  readonly isWide?: boolean;
  /** For codes that are written in capitals. */
  readonly isInCapitals?: boolean;
  readonly onChange: (value: string | undefined) => void;
}

const LONGEST = 200;
/** Longer than a click: the row that it leaves the field for stays until the click arrives. */
const CLICK_MS = 400;

/** Searches when Enter is pressed, or soon after the field is left. */
export function TextFilter(props: TextFilterProps) {
  const { label, hint, about, value, isWide = false, isInCapitals = false, onChange } = props;
  const known = value ?? '';
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(known);
  const wantedOf = (typed: string) => (isInCapitals ? typed.trim().toUpperCase() : typed.trim());
  const search = (typed: string) => {
    const wanted = wantedOf(typed);
    sent.current = wanted;
    if (wanted !== known) onChange(wanted || undefined);
  };
  const searchLater = useDebouncedCallback(search, CLICK_MS);
  // Another view or «back» changes the address too; the field keeps its focus and what is typed on.
  useEffect(() => {
    if (field.current && known !== sent.current) {
      searchLater.cancel();
      field.current.value = known;
    }
    sent.current = known;
  }, [known, searchLater]);
  const finish = (input: HTMLInputElement) => {
    input.value = wantedOf(input.value);
    searchLater(input.value);
  };
  const clear = () => {
    searchLater.cancel();
    if (field.current) field.current.value = '';
    field.current?.focus();
    search('');
  };
  return (
    <div className={isWide ? 'filter filter-words' : 'filter'}>
      <label className="day-label" htmlFor={id}>
        {label}
      </label>
      <div className="day-field">
        <input
          ref={field}
          id={id}
          type="search"
          defaultValue={known}
          placeholder={words.parts.searchHint(hint)}
          title={about}
          enterKeyHint="search"
          maxLength={LONGEST}
          onKeyDown={({ key, currentTarget }) => {
            if (key !== 'Enter') return;
            finish(currentTarget);
            searchLater.flush();
          }}
          onBlur={({ target }) => finish(target)}
        />
        {known !== '' && (
          <button type="button" aria-label={words.parts.clearText} onClick={clear}>
            <span aria-hidden="true">×</span>
          </button>
        )}
      </div>
    </div>
  );
}
