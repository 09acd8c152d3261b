import { guideWords } from './guide-words.ts';

interface ChosenBarProps {
  readonly count: number;
  /** What the last choice did not do as asked; null = nothing. */
  readonly note: string | null;
  readonly onReview: () => void;
  readonly onClear: () => void;
}

/** What can be done with the chosen lines; it stays in sight. */
export function ChosenBar({ count, note, onReview, onClear }: ChosenBarProps) {
  return (
    <div className="chosen-bar">
      <p role="status">
        <strong>{guideWords.chosen(count)}</strong>
        {note && <span> {note}</span>}
      </p>
      <p className="acts">
        {count > 0 && (
          <button type="button" className="button" onClick={onReview}>
            {guideWords.review}
          </button>
        )}
        <button type="button" className="link-button" onClick={onClear}>
          {count > 0 ? guideWords.clear : guideWords.understood}
        </button>
      </p>
    </div>
  );
}
