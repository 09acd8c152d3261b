import { type FormEvent, useState } from 'react';
import { useDraft } from '../../parts/use-draft.ts';
import { useChange, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { filtersOfView, type OrderSearch, queryOfFilters } from './search.ts';

interface SavedViewsProps {
  readonly search: OrderSearch;
  readonly onChange: (next: OrderSearch) => void;
}

const PLACE = 'orders';
const LONGEST_NAME = 60;

/** The person's own views: one click sets all filters. */
export function SavedViews({ search, onChange }: SavedViewsProps) {
  const { data } = useRead('views.list', { place: PLACE });
  const remove = useChange('views.remove');
  const [isNaming, setNaming] = useState(false);
  const views = data?.data ?? [];
  const query = queryOfFilters(search);
  const isSaved = views.some((view) => view.query === query);
  const mayBeSaved = query !== '' && !isSaved;
  if (views.length === 0 && !mayBeSaved) return null;
  return (
    <div className="views">
      {views.length > 0 && (
        <ul aria-label={words.orders.views}>
          {views.map((view) => (
            <li key={view.name} className={view.query === query ? 'chip chip-on' : 'chip'}>
              <button
                type="button"
                aria-pressed={view.query === query}
                onClick={() => onChange(filtersOfView(view.query))}
              >
                {view.name}
              </button>
              <button
                type="button"
                className="chip-remove"
                aria-label={words.orders.removeView(view.name)}
                onClick={() => remove.mutate({ place: PLACE, name: view.name })}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {mayBeSaved && !isNaming && (
        <button type="button" className="link-button" onClick={() => setNaming(true)}>
          {words.orders.saveView}
        </button>
      )}
      {mayBeSaved && isNaming && <NameForm query={query} onEnd={() => setNaming(false)} />}
    </div>
  );
}

/** Keeps what was typed where it is refused. */
function NameForm({ query, onEnd }: { query: string; onEnd: () => void }) {
  const { values, set, clear } = useDraft('view', { name: '' });
  const close = () => {
    clear();
    onEnd();
  };
  const save = useChange('views.save', { onRefreshed: close });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = values.name.trim();
    if (name !== '') save.mutate({ place: PLACE, name, query });
  }
  return (
    <form className="inline-form" onSubmit={submit}>
      <input
        value={values.name}
        onChange={({ target }) => set('name', target.value)}
        // biome-ignore lint/a11y/noAutofocus: it appears because its button was pressed
        autoFocus
        required
        maxLength={LONGEST_NAME}
        aria-label={words.orders.viewName}
        placeholder={words.orders.viewName}
        onKeyDown={({ key }) => key === 'Escape' && close()}
      />
      <button type="submit" className="button" disabled={save.isPending}>
        {words.orders.save}
      </button>
      <button type="button" className="button quiet" onClick={close}>
        {words.orders.cancel}
      </button>
      {save.error && (
        <span className="fault" role="alert">
          {save.error.message}
        </span>
      )}
    </form>
  );
}
