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
  return (
    <fieldset className="tabs" aria-label={label}>
      {names.map((name) => (
        <button
          key={name}
          ref={name === chosen ? center : null}
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

function center(button: HTMLButtonElement | null): void {
  const row = button?.parentElement;
  if (row) row.scrollLeft = button.offsetLeft - (row.clientWidth - button.offsetWidth) / 2;
}
