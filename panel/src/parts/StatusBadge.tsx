/** What a state means for its reader. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle';

/** A dot and a word; the source's own word beside it where it differs. */
export function StatusBadge({ tone, word, raw }: { tone: Tone; word: string; raw?: string }) {
  return (
    <span className="status">
      <span className={`dot dot-${tone}`} aria-hidden="true" />
      {word}
      {raw && raw.toLowerCase() !== word.toLowerCase() ? (
        <span className="faint" translate="no">
          {' '}
          {raw}
        </span>
      ) : null}
    </span>
  );
}
