import { NativeSelect } from '@mantine/core';

interface SelectFilterProps<Name extends string> {
  readonly label: string;
  /** Chooses none of the names; absent = one is always chosen. */
  readonly any?: string;
  readonly names: Readonly<Record<Name, string>>;
  readonly value: string | undefined;
  readonly onChange: (value: Name | undefined) => void;
}

/** A filter of one value. */
export function SelectFilter<Name extends string>(props: SelectFilterProps<Name>) {
  const { label, any, names, value, onChange } = props;
  return (
    <NativeSelect
      label={label}
      size="xs"
      value={value ?? ''}
      onChange={({ target }) => onChange((target.value || undefined) as Name | undefined)}
    >
      {any !== undefined && <option value="">{any}</option>}
      {Object.entries<string>(names).map(([name, word]) => (
        <option key={name} value={name}>
          {word}
        </option>
      ))}
    </NativeSelect>
  );
}
