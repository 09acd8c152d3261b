import { useRouter } from '@tanstack/react-router';
import { useRef } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** A link or a row of the panel led here, so that there is a screen to go back to. */
    isWithin?: boolean;
  }
}

/** Of the navigation that opens a drawer: closing it goes back, and «back» opens it no more. */
export const OPENED = { state: { isWithin: true } } as const;

/**
 * Closes what a link or a row of a list opened: back to that screen, as it was.
 *
 * @param close for what was opened by an address from outside
 */
export function useWayBack(close: () => void): () => void {
  const { history } = useRouter();
  /** Closed twice, by a double click, it goes back once. */
  const left = useRef<string>(undefined);
  return () => {
    const { isWithin, __TSR_key: key } = history.location.state;
    if (!isWithin) return close();
    if (left.current === key) return;
    left.current = key;
    history.back();
  };
}
