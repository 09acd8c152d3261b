import { useEffect, useRef } from 'react';

interface TextFilterProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string | undefined;
  /** Takes the room of several filters. */
  readonly isWide?: boolean;
  /** For codes that are written in capitals. */
  readonly isInCapitals?: boolean;
  readonly onChange: (value: string | undefined) => void;
}

const LONGEST = 200;

/** Searches when Enter is pressed or the field is left. */
export function TextFilter(props: TextFilterProps) {
  const { label, hint, value, isWide = false, isInCapitals = false, onChange } = props;
  const known = value ?? '';
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(known);
  // Another view or «back» changes the address too; the field keeps its focus and what is typed on.
  useEffect(() => {
    if (field.current && known !== sent.current) field.current.value = known;
    sent.current = known;
  }, [known]);
  const search = (input: HTMLInputElement) => {
    const trimmed = input.value.trim();
    const wanted = isInCapitals ? trimmed.toUpperCase() : trimmed;
    input.value = wanted;
    sent.current = wanted;
    if (wanted !== known) onChange(wanted || undefined);
  };
  return (
    <label className={isWide ? 'filter filter-words' : 'filter'}>
      {label}
      <input
        ref={field}
        type="search"
        defaultValue={known}
        placeholder={hint}
        maxLength={LONGEST}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && search(currentTarget)}
        onBlur={({ target }) => search(target)}
      />
    </label>
  );
}
