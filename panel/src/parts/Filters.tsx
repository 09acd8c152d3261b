import { type ReactNode, useId, useState } from 'react';
import { words } from '../words.ts';
import { ClearFilters, type ClearFiltersProps } from './ClearFilters.tsx';

interface FiltersProps<Name extends string> extends ClearFiltersProps<Name> {
  readonly className?: string;
  /** Stays in sight on a phone. */
  readonly first: ReactNode;
  readonly children: ReactNode;
}

/** The filters of a list; on a phone all but the first one are behind a button. */
export function Filters<Name extends string>(props: FiltersProps<Name>) {
  const { names, search, className = '', first, children } = props;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div id={id} className={`filters foldable ${isOpen ? 'unfolded' : 'folded'} ${className}`}>
      {first}
      <button
        type="button"
        className="button quiet fold"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {words.parts.filters(names.filter((name) => search[name]).length)}
      </button>
      {children}
      <ClearFilters {...props} />
    </div>
  );
}
