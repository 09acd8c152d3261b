import { MultiSelect } from '@mantine/core';
import { words } from '../words.ts';

export interface ChoiceFieldProps {
  readonly label: string;
  readonly data: readonly (string | { readonly value: string; readonly label: string })[];
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
  /** Words of marketplaces, which are not translated. */
  readonly isRaw?: boolean;
}

const RAW = { translate: 'no' };

export function ChoiceField({ label, data, value, onChange, isRaw = false }: ChoiceFieldProps) {
  return (
    <MultiSelect
      label={label}
      placeholder={value.length > 0 ? undefined : words.orders.any}
      data={[...data]}
      value={[...value]}
      onChange={onChange}
      size="xs"
      {...(isRaw && { attributes: { option: RAW, pill: RAW } })}
    />
  );
}
