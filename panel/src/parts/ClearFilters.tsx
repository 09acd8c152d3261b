import { words } from '../words.ts';

export interface ClearFiltersProps<Name extends string> {
  readonly names: readonly Name[];
  readonly search: { readonly [Each in Name]?: string | undefined };
  readonly onChange: (next: { readonly [Each in Name]?: undefined }) => void;
}

/** Removes all filters of a list; shown where there is one. */
export function ClearFilters<Name extends string>(props: ClearFiltersProps<Name>) {
  const { names, search, onChange } = props;
  if (!names.some((name) => search[name])) return null;
  const none = Object.fromEntries(names.map((name) => [name, undefined]));
  return (
    <button
      type="button"
      className="link-button"
      onClick={() => onChange(none as { [Each in Name]?: undefined })}
    >
      {words.parts.clear}
    </button>
  );
}
