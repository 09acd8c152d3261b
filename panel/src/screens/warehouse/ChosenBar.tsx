import { useEffect, useRef } from 'react';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { guideWords } from './guide-words.ts';
import { focusScan } from './ScanField.tsx';
import type { useChosen } from './use-chosen.ts';

interface ChosenBarProps {
  readonly of: Pick<ReturnType<typeof useChosen>, 'chosen' | 'note' | 'clear'>;
  /** What is done with the lines. */
  readonly action: string;
  readonly isBusy?: boolean;
  readonly onAct: () => void;
}

/** What can be done with the chosen lines; it stays in sight. */
export function ChosenBar({ of, action, isBusy = false, onAct }: ChosenBarProps) {
  const { chosen, note, clear } = of;
  useFocusBack(chosen.size > 0, note !== null);
  if (chosen.size === 0 && note === null) return null;
  return (
    <div className="chosen-bar">
      <p role="status">
        {chosen.size > 0 && <strong>{guideWords.chosen(chosen.size)} </strong>}
        {note}
      </p>
      <p className="acts">
        {chosen.size > 0 && (
          <BusyButton className="button" isBusy={isBusy} onClick={onAct}>
            {action}
          </BusyButton>
        )}
        <button type="button" className="link-button" onClick={clear}>
          {chosen.size > 0 ? guideWords.clear : guideWords.understood}
        </button>
      </p>
    </div>
  );
}

/** The field of the scanner gets the focus of a button that goes away. */
function useFocusBack(hasChosen: boolean, hasNote: boolean): void {
  const had = useRef(0);
  const buttons = hasChosen ? 2 : Number(hasNote);
  useEffect(() => {
    if (buttons < had.current && document.activeElement === document.body) focusScan();
    had.current = buttons;
  }, [buttons]);
}
