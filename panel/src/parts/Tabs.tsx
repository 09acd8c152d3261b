import { useEffect, useRef } from 'react';

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  /** Null = none of them. */
  readonly chosen: Name | null;
  readonly wordOf: (name: Name) => string;
  readonly onChoose: (name: Name) => void;
}

/** One of a few views of the same data; on a phone one row that scrolls sideways. */
export function Tabs<Name extends string>(props: TabsProps<Name>) {
  const { label, names, chosen, wordOf, onChoose } = props;
  const row = useRef<HTMLFieldSetElement>(null);
  const words = names.map(wordOf).join();
  // A count that comes later widens its word.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they move the chosen one
  useEffect(() => center(row.current), [chosen, words]);
  return (
    <fieldset className="tabs" aria-label={label} ref={row}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
        >
          {wordOf(name)}
        </button>
      ))}
    </fieldset>
  );
}

function center(row: HTMLElement | null): void {
  const button = row?.querySelector<HTMLElement>('[aria-pressed=true]');
  if (row && button)
    row.scrollLeft = button.offsetLeft - (row.clientWidth - button.offsetWidth) / 2;
}
