import { words } from '../words.ts';

interface WordsFilterProps {
  readonly hint: string;
  readonly text: string | undefined;
  readonly onChange: (text: string | undefined) => void;
}

const LONGEST = 200;

/** Searches when Enter is pressed or the field is left. */
export function WordsFilter({ hint, text, onChange }: WordsFilterProps) {
  const search = (typed: string) => {
    const wanted = typed.trim() || undefined;
    if (wanted !== text) onChange(wanted);
  };
  return (
    <label className="filter filter-words">
      {words.orders.search}
      <input
        type="search"
        defaultValue={text ?? ''}
        placeholder={hint}
        maxLength={LONGEST}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && search(currentTarget.value)}
        onBlur={({ target }) => search(target.value)}
      />
    </label>
  );
}
