import { CloseButton, Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { words } from '../words.ts';

interface SidePanelProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const TRANSITION_MS = 100;

/** Something whole over the list that it is from; Escape closes it, and focus goes back. */
export function SidePanel({ isOpen, title, onClose, children }: SidePanelProps) {
  return (
    <Drawer.Root
      opened={isOpen}
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
