import { words } from '../words.ts';

/** What a state means for its reader. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle';

/** A dot and a word. */
export function StatusBadge({ tone, word }: { tone: Tone; word: string }) {
  return (
    <span className="status">
      <span className={`dot dot-${tone}`} aria-hidden="true" />
      {word}
    </span>
  );
}

interface NativeStatusProps {
  /** The name of the marketplace or carrier. */
  readonly source: string;
  readonly raw: string;
}

/** The native status, as the marketplace or carrier shows it. */
export function NativeStatus({ source, raw }: NativeStatusProps) {
  return (
    <span className="faint native">
      {words.parts.nativeAt(source)}: <span translate="no">{raw}</span>
    </span>
  );
}
