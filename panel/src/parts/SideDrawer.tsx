import { CloseButton, Drawer } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { words } from '../words.ts';

export interface SideDrawerProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const TRANSITION_MS = 100;

/** To the screen, where the row that opened the drawer left its list meanwhile. */
function giveFocusTo(opener: Element | null): void {
  if (!(opener instanceof HTMLElement)) return;
  const heading = opener.isConnected ? null : document.querySelector<HTMLElement>('main h1');
  heading?.setAttribute('tabindex', '-1');
  (heading ?? opener).focus();
}

/** The drawer itself, a chunk of its own. */
export default function SideDrawer({ isOpen, title, onClose, children }: SideDrawerProps) {
  // Shut at first: where the focus was is noted before the drawer takes it.
  const [isShown, setShown] = useState(false);
  const opener = useRef<Element>(null);
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { activeElement: active, body } = document;
    // A person may be elsewhere already, such as in the field of a scanner.
    const isLost = active === body || content.current?.contains(active);
    if (isOpen) opener.current = active;
    else if (isLost) giveFocusTo(opener.current);
    setShown(isOpen);
  }, [isOpen]);
  return (
    <Drawer.Root
      opened={isShown}
      onClose={onClose}
      position="right"
      size="34rem"
      returnFocus={false}
      transitionProps={{ duration: TRANSITION_MS }}
    >
      <Drawer.Overlay />
      <Drawer.Content ref={content} aria-label={title}>
        <Drawer.Body>
          <div className="panel-head">
            <h2>{title}</h2>
            <CloseButton aria-label={words.parts.close} onClick={onClose} />
          </div>
          {children}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
