import { lazy, Suspense } from 'react';
import { words } from '../words.ts';
import type { ChoiceFieldProps } from './ChoiceField.tsx';

// Drawn after the rows: the list with its search is the largest part of a screen.
const ChoiceField = lazy(() =>
  import('./ChoiceField.tsx').then((file) => ({ default: file.ChoiceField })),
);

/** A filter of several values out of a list; all values where none is chosen. */
export function ChoiceFilter(props: ChoiceFieldProps) {
  return (
    <Suspense fallback={<Still {...props} />}>
      <ChoiceField {...props} />
    </Suspense>
  );
}

function Still({ label, data, value }: ChoiceFieldProps) {
  const chosen = data.filter((one) => value.includes(typeof one === 'string' ? one : one.value));
  const names = chosen.map((one) => (typeof one === 'string' ? one : one.label));
  return (
    <label className="filter">
      {label}
      <input placeholder={words.orders.any} value={names.join(', ')} disabled readOnly />
    </label>
  );
}
