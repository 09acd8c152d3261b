import { words } from '../words.ts';

interface ConflictNoteProps {
  readonly text?: string;
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

/** Another person saved while a form was being filled in: which of both stays. */
export function ConflictNote({ text, onKeep, onDiscard }: ConflictNoteProps) {
  const { conflict } = words;
  return (
    <div className="note note-warn" role="alert">
      <p>{text ?? conflict.changed}</p>
      <p className="acts">
        <button type="button" className="button" onClick={onKeep}>
          {conflict.keepMine}
        </button>
        <button type="button" className="button quiet" onClick={onDiscard}>
          {conflict.useTheirs}
        </button>
      </p>
    </div>
  );
}

/** Beside a field that differs from what is saved now. */
export function savedNow(value: string | undefined): string {
  return value ? words.conflict.savedNow(value) : words.conflict.savedEmpty;
}
