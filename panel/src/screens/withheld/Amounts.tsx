import { Fragment } from 'react';
import { Money } from '../../parts/Money.tsx';

/** Those that are not 0, each with its name. */
export function Amounts({ amounts }: { amounts: readonly [string, number][] }) {
  return (
    <span className="faint">
      {amounts
        .filter(([, amount]) => amount !== 0)
        .map(([title, amount], at) => (
          <Fragment key={title}>
            {at > 0 && ' · '}
            {title} <Money amount={amount} currency="MXN" />
          </Fragment>
        ))}
    </span>
  );
}
