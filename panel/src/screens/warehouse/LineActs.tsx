import { type Output, organizationId } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { useChange } from '../../queries.ts';
import { words } from '../../words.ts';
import { guideWords } from './guide-words.ts';
import { InTransit } from './InTransit.tsx';
import { lackWords, warehouseWords } from './words.ts';

type Line = Output<'lines.get'>['data'];

interface LineActsProps {
  readonly line: Line;
  /** Reviews a batch of this line alone. */
  readonly onPlan: () => void;
}

/** What can be done with the line now, by its state and the person's role. */
export function LineActs({ line, onPlan }: LineActsProps) {
  const { line_id, moves, lack } = line;
  const transfer = useChange('lines.transfer');
  const undo = useChange('lines.undo-transfer');
  const failed = [transfer, undo].find(({ error }) => error !== null);
  const isBusy = transfer.isPending || undo.isPending;
  return (
    <div className="line-acts">
      {lack && moves.includes('generate_guide') && <Lacking line={line} lack={lack} />}
      <p className="acts">
        {!lack && moves.includes('generate_guide') && (
          <button type="button" className="button" onClick={onPlan}>
            {guideWords.reviewOne}
          </button>
        )}
        {moves.includes('transfer') && (
          <button
            type="button"
            className="button"
            disabled={isBusy}
            onClick={() => transfer.mutate({ line_id })}
          >
            {warehouseWords.transfer}
          </button>
        )}
        {moves.includes('undo_transfer') && (
          <button
            type="button"
            className="button quiet"
            disabled={isBusy}
            onClick={() => undo.mutate({ line_id })}
          >
            {warehouseWords.undo}
          </button>
        )}
      </p>
      <InTransit lineId={line_id} isAllowed={moves.includes('set_in_transit')} />
      <p role="status">{isBusy ? words.parts.saving : doneOf(transfer, undo)}</p>
      {failed?.error && (
        <FailureNote
          failure={failed.error}
          title={words.failures.notSaved}
          onAgain={() => failed.reset()}
        />
      )}
    </div>
  );
}

/** Why there can be no guide yet, with the way to the product's form. */
function Lacking({ line, lack }: { line: Line; lack: NonNullable<Line['lack']> }) {
  const calls = useFrame().data?.operations ?? [];
  const items = line.orders.flatMap((order) => order.items);
  // Goods without a SKU are in no inventory.
  const isListed = (name: string) =>
    calls.includes('inventory.get') && !items.some(({ sku, title }) => !sku && title === name);
  return (
    <div className="note note-warn">
      {lackWords[lack.code]}{' '}
      {lack.names.map((name, at) => (
        <span key={name}>
          {at > 0 && ', '}
          {isListed(name) ? (
            <PanelLink
              address={`/panel/${organizationId}/inventario?${new URLSearchParams({ sku: name })}`}
            >
              {lackWords.fill(name)}
            </PanelLink>
          ) : (
            name
          )}
        </span>
      ))}
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
