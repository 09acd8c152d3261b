import { MultiSelect } from '@mantine/core';
import { words } from '../words.ts';

export interface ChoiceFieldProps {
  readonly label: string;
  readonly data: readonly (string | { readonly value: string; readonly label: string })[];
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
}

export function ChoiceField({ label, data, value, onChange }: ChoiceFieldProps) {
  return (
    <MultiSelect
      label={label}
      placeholder={value.length > 0 ? undefined : words.orders.any}
      data={[...data]}
      value={[...value]}
      onChange={onChange}
      size="xs"
    />
  );
}
