import { type ReactNode, useEffect, useId, useRef } from 'react';
import { words } from '../words.ts';

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** The verb of the act that is confirmed. */
  readonly action: string;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  /** What is lost and what stays. */
  readonly children: ReactNode;
}

/** Asks before a destructive act; Escape cancels, and focus goes back. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, title, action, onClose, onConfirm, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} className="confirm" aria-labelledby={heading} onClose={onClose}>
      {isOpen && (
        <>
          <h2 id={heading}>{title}</h2>
          {children}
          <p className="acts">
            <button className="button quiet" type="button" onClick={onClose}>
              {words.parts.cancel}
            </button>
            <button
              className="button danger"
              type="button"
              onClick={() => {
                onConfirm();
                onClose();
              }}
            >
              {action}
            </button>
          </p>
        </>
      )}
    </dialog>
  );
}
