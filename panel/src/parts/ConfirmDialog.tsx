import { type ReactNode, useEffect, useId, useRef } from 'react';
import { words } from '../words.ts';

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** The verb of the act that is confirmed. */
  readonly action: string;
  /** False: nothing is lost. */
  readonly isDanger?: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  /** What is lost and what stays. */
  readonly children: ReactNode;
}

/** Asks before an act that is not easily undone; Escape cancels, and focus goes back. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, title, action, isDanger = true, onClose, onConfirm, children } = props;
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
              className={isDanger ? 'button danger' : 'button'}
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
