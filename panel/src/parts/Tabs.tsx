interface TabsProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly chosen: Name;
  readonly wordOf: (name: Name) => string;
  readonly onChoose: (name: Name) => void;
}

/** One of a few views of the same data. */
export function Tabs<Name extends string>(props: TabsProps<Name>) {
  const { label, names, chosen, wordOf, onChoose } = props;
  return (
    <fieldset className="tabs" aria-label={label}>
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
