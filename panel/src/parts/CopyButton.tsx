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
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      className={className}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <span aria-live="polite">{isCopied ? done : label}</span>
    </button>
  );
}
