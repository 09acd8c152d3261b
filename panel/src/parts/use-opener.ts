import { useEffect, useRef } from 'react';

/**
 * Gives the focus back to the button that a form took the place of, when the form closes.
 *
 * @returns the ref of the button
 */
export function useOpener(isOpen: boolean) {
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // A person may be elsewhere already when a form that was saved goes away.
    const isLost = document.activeElement === document.body;
    if (wasOpen.current && !isOpen && isLost) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return opener;
}
