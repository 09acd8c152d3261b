import { useState } from 'react';
import { useFrame } from '../../frame/use-frame.ts';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { InlineForm } from '../../parts/InlineForm.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useOpener } from '../../parts/use-opener.ts';
import { useChange, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { filtersOfView, type OrderSearch, queryOfFilters } from './search.ts';

interface SavedViewsProps {
  readonly search: OrderSearch;
  readonly onChange: (next: OrderSearch) => void;
}

const SCREEN = 'orders';
const LONGEST_NAME = 60;

/** The person's own views: one click sets all filters. */
export function SavedViews({ search, onChange }: SavedViewsProps) {
  const { data } = useRead('views.list', { place: SCREEN });
  const remove = useChange('views.remove');
  const [isNaming, setNaming] = useState(false);
  /** The name of the view that is about to be removed. */
  const [removed, setRemoved] = useState<string | null>(null);
  const views = data?.data ?? [];
  const operations = useFrame().data?.operations ?? [];
  const query = queryOfFilters(search);
  const isSaved = views.some((view) => view.query === query);
  const mayBeSaved = query !== '' && !isSaved && operations.includes('views.save');
  const hasForm = mayBeSaved && isNaming;
  /** The button that saves; once it is saved, the view itself. */
  const opener = useOpener(hasForm);
  if (views.length === 0 && !mayBeSaved) return null;
  return (
    <div className="views">
      {views.length > 0 && (
        <ul aria-label={words.orders.views}>
          {views.map((view) => (
            <li key={view.name} className={view.query === query ? 'chip chip-on' : 'chip'}>
              <button
                ref={view.query === query ? opener : undefined}
                type="button"
                aria-pressed={view.query === query}
                onClick={() => onChange(filtersOfView(view.query))}
              >
                {view.name}
              </button>
              {operations.includes('views.remove') && (
                <button
                  type="button"
                  className="chip-remove"
                  aria-label={words.orders.removeView(view.name)}
                  onClick={() => setRemoved(view.name)}
                >
                  ×
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        isOpen={removed !== null}
        title={words.orders.removeViewTitle(removed ?? '')}
        action={words.orders.removeViewAction}
        onClose={() => setRemoved(null)}
        onConfirm={() => removed !== null && remove.mutate({ place: SCREEN, name: removed })}
      >
        <p>{words.orders.removeViewHelp}</p>
      </ConfirmDialog>
      {remove.error && (
        <FailureNote
          failure={remove.error}
          title={words.orders.viewStays}
          onAgain={() => remove.variables && remove.mutate(remove.variables)}
        />
      )}
      {mayBeSaved && !isNaming && (
        <button ref={opener} type="button" className="link-button" onClick={() => setNaming(true)}>
          {words.orders.saveView}
        </button>
      )}
      {hasForm && <NameForm query={query} onEnd={() => setNaming(false)} />}
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
  return (
    <InlineForm
      label={words.orders.viewName}
      value={values.name}
      onChange={(name) => set('name', name)}
      required
      maxLength={LONGEST_NAME}
      isSending={save.isPending}
      failure={save.error}
      onSave={() => {
        const name = values.name.trim();
        if (name !== '') save.mutate({ place: SCREEN, name, query });
      }}
      onClose={close}
    />
  );
}
