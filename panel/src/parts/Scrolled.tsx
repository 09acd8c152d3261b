import type { ReactNode } from 'react';

/** What is wider than a phone: it scrolls by itself, by the arrows too. */
export function Scrolled({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a focus no key scrolls it
    <div className="scrolled" tabIndex={0}>
      {children}
    </div>
  );
}
