import type { Output } from '../../client.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { useChange } from '../../queries.ts';
import { words } from '../../words.ts';
import { guideWords } from './guide-words.ts';
import { InTransit } from './InTransit.tsx';
import { MissingMeasures } from './MissingMeasures.tsx';
import { lackWords, warehouseWords } from './words.ts';

type Line = Output<'lines.get'>['data'];

interface LineActsProps {
  readonly line: Line;
  /** Reviews a batch of this line alone. */
  readonly onPlan: () => void;
}

/** What can be done with the line now, by its state and the person's role. */
export function LineActs({ line, onPlan }: LineActsProps) {
  const { line_id, moves, lacks } = line;
  const isReady = lacks.length === 0;
  const transfer = useChange('lines.transfer');
  const undo = useChange('lines.undo-transfer');
  const failed = [transfer, undo].find(({ error }) => error !== null);
  const isBusy = transfer.isPending || undo.isPending;
  const isUndo = moves.includes('undo_transfer');
  return (
    <div className="line-acts">
      {!isReady && moves.includes('generate_guide') && <Obstacles line={line} />}
      <p className="acts">
        {isReady && moves.includes('generate_guide') && (
          <button type="button" className="button" onClick={onPlan}>
            {guideWords.reviewOne}
          </button>
        )}
        {/* One button, so that the focus stays on it when the transfer is done, or undone. */}
        {(isUndo || moves.includes('transfer')) && (
          <BusyButton
            className={isUndo ? 'button quiet' : 'button'}
            isBusy={isBusy}
            onClick={() => (isUndo ? undo : transfer).mutate({ line_id })}
          >
            {isUndo ? warehouseWords.undo : warehouseWords.transfer}
          </BusyButton>
        )}
      </p>
      <RemoveNumber line={line} />
      <InTransit lineId={line_id} isAllowed={moves.includes('set_in_transit')} />
      <p role="status">{isBusy ? words.parts.saving : doneOf(transfer, undo)}</p>
      {failed?.error && (
        <FailureNote
          failure={failed.error}
          title={words.failures.notSaved}
          onAgain={() => failed.mutate({ line_id })}
        />
      )}
    </div>
  );
}

/** Of a cancelled line: its form is no longer shown, and another line may need the number. */
function RemoveNumber({ line: { line_id, version, moves } }: { line: Line }) {
  const edit = useChange('lines.edit');
  const isOffered = moves.includes('remove_tracking') && !moves.includes('edit');
  const send = () => edit.mutate({ line_id, version, tracking: null });
  return (
    <>
      {isOffered && (
        <p className="acts">
          <BusyButton className="button quiet" isBusy={edit.isPending} onClick={send}>
            {warehouseWords.removeNumber}
          </BusyButton>
        </p>
      )}
      <p role="status">
        {edit.isPending && words.parts.saving}
        {edit.isSuccess && !isOffered && warehouseWords.numberRemoved}
      </p>
      {edit.error && (
        <FailureNote failure={edit.error} title={words.failures.notSaved} onAgain={send} />
      )}
    </>
  );
}

/** Why there can be no guide yet, with the way to what is missing. */
function Obstacles({ line: { lacks } }: { line: Line }) {
  const isPlaceMissing = lacks.some(({ code }) => code === 'missing_address');
  return (
    <div className="note note-warn">
      <p>{lackWords.before}</p>
      <ul className="lacks">
        <MissingMeasures lacks={lacks} />
        {isPlaceMissing && <li>{lackWords.address}</li>}
      </ul>
    </div>
  );
}

interface Done {
  readonly isSuccess: boolean;
  readonly submittedAt: number;
}

/** Of the two, what was done last. */
function doneOf(transfer: Done, undo: Done): string {
  const isTransfer = transfer.submittedAt > undo.submittedAt;
  if (isTransfer && transfer.isSuccess) return warehouseWords.transferred;
  return !isTransfer && undo.isSuccess ? warehouseWords.undone : '';
}
