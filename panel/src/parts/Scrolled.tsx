import type { ReactNode } from 'react';

/** What is wider than a phone: it scrolls by itself, by the arrows too. */
export function Scrolled({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a focus no key scrolls it
    <section className="scrolled" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
