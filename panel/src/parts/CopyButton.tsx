import { useEffect, useState } from 'react';
import { words } from '../words.ts';

interface CopyProps {
  readonly text: string;
  readonly label?: string;
  readonly done?: string;
  readonly className?: string;
}

const SHOWN_MS = 2_000;

export function CopyButton({
  text,
  label = words.parts.copy,
  done = words.parts.copied,
  className = 'link-button',
}: CopyProps) {
  /** What the last press did; null = it is over. */
  const [result, setResult] = useState<string | null>(null);
  useEffect(() => {
    if (result === null) return;
    const timer = setTimeout(() => setResult(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = () =>
    // A browser may deny it, and has no clipboard at an address without TLS.
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => setResult(done),
        () => setResult(words.parts.notCopied),
      );
  return (
    <button type="button" className={className} onClick={() => void copy()}>
      <span aria-live="polite">{result ?? label}</span>
    </button>
  );
}
