import { lazy, Suspense, useRef } from 'react';
import type { SideDrawerProps } from './SideDrawer.tsx';

const SideDrawer = lazy(() => import('./SideDrawer.tsx'));

/**
 * Something whole over the list that it is from; Escape closes it, and focus goes back. Its code is
 * loaded when it opens for the first time.
 */
export function SidePanel(props: SideDrawerProps) {
  const wasOpen = useRef(false);
  wasOpen.current ||= props.isOpen;
  if (!wasOpen.current) return null;
  return (
    <Suspense fallback={null}>
      <SideDrawer {...props} />
    </Suspense>
  );
}
