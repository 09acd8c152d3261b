import { useRef } from 'react';
import { listWords } from '../list-words.ts';

/** Offers a list of several pages anew, which is not fetched again while it is read. */
export function ChangesNote({
  list: { hasChanges, renew },
}: {
  /** What `useList` returns. */
  list: { readonly hasChanges: boolean; readonly renew: () => void };
}) {
  const place = useRef<HTMLDivElement>(null);
  function begin() {
    renew();
    // The button goes away, and the list begins anew. The note itself sticks to the window.
    place.current?.focus({ preventScroll: true });
    place.current?.closest('section')?.scrollIntoView();
  }
  return (
    <div className="changes" role="status" tabIndex={-1} ref={place}>
      {hasChanges && (
        <p>
          {listWords.changes}{' '}
          <button type="button" className="link-button" onClick={begin}>
            {listWords.renew}
          </button>
        </p>
      )}
    </div>
  );
}
