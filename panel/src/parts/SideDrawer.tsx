import { CloseButton, Drawer } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { words } from '../words.ts';

export interface SideDrawerProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const TRANSITION_MS = 100;

/** The drawer itself, a chunk of its own. */
export default function SideDrawer({ isOpen, title, onClose, children }: SideDrawerProps) {
  // Shut at first: the drawer notes where the focus was when it opens.
  const [isShown, setShown] = useState(false);
  useEffect(() => setShown(isOpen), [isOpen]);
  return (
    <Drawer.Root
      opened={isShown}
      onClose={onClose}
      position="right"
      size="34rem"
      transitionProps={{ duration: TRANSITION_MS }}
    >
      <Drawer.Overlay />
      <Drawer.Content aria-label={title}>
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
