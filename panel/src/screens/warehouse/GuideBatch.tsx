import { useState } from 'react';
import type { Output } from '../../client.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { useChange, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { BatchResult } from './BatchResult.tsx';
import { guideWords } from './guide-words.ts';
import { RecentBatches } from './RecentBatches.tsx';
import { RECENT } from './search.ts';
import type { Chosen } from './use-chosen.ts';

type Plan = Output<'guides.plan'>;
type Planned = Plan['lines'][number];

interface GuideBatchProps {
  /** Null = no batch is being prepared. */
  readonly chosen: Chosen | null;
  /** The batch whose result is shown; `RECENT` = the list of the last ones, «» = none. */
  readonly batchId: string;
  /** Of the chosen lines. */
  readonly onBatch: (batchId: string) => void;
  readonly onOpenBatch: (batchId: string) => void;
  readonly onOpenLine: (lineId: string) => void;
  readonly onRetry: (lineIds: Chosen) => void;
  readonly onClose: () => void;
}

/** First what would be asked of the carrier, then what became of it. */
export function GuideBatch(props: GuideBatchProps) {
  const { chosen, batchId, onOpenBatch, onClose } = props;
  return (
    <SidePanel
      isOpen={chosen !== null || batchId !== ''}
      title={titleOf(batchId)}
      onClose={onClose}
    >
      {batchId === '' && chosen && <DryRun {...props} chosen={chosen} />}
      {batchId === RECENT && <RecentBatches onOpen={onOpenBatch} />}
      {batchId !== '' && batchId !== RECENT && <BatchResult key={batchId} {...props} />}
    </SidePanel>
  );
}

function titleOf(batchId: string): string {
  if (batchId === '') return guideWords.review;
  return batchId === RECENT ? guideWords.recent : guideWords.result;
}

function DryRun({ chosen, onBatch, onOpenLine }: GuideBatchProps & { readonly chosen: Chosen }) {
  const [account, setAccount] = useState('');
  const input = {
    line_ids: [...chosen.keys()],
    ...(account !== '' && { account_id: account }),
  };
  const { data: plan, error, refetch } = useRead('guides.plan', input);
  if (error) return <FailureNote failure={error} onAgain={() => void refetch()} />;
  if (!plan) return <p role="status">{guideWords.checking(chosen.size)}</p>;
  // In the order in which they were chosen.
  const order = [...chosen.keys()];
  const lines = plan.lines.toSorted(
    (one, other) => order.indexOf(one.line_id) - order.indexOf(other.line_id),
  );
  const ready = lines.filter(({ readiness }) => readiness === 'ready');
  const others = lines.filter(({ readiness }) => readiness !== 'ready');
  const nameOf = ({ line_id }: Planned) => chosen.get(line_id) ?? line_id;
  return (
    <div className="details">
      <p>
        {plan.account
          ? guideWords.with(plan.carrier, plan.account.name, plan.service_type)
          : plan.carrier}
      </p>
      {plan.account?.is_paused && (
        <p className="note note-warn">{guideWords.paused(plan.carrier, plan.account.name)}</p>
      )}
      {plan.accounts.length > 1 && (
        <Field
          label={guideWords.account}
          value={account}
          choices={[
            { value: '', label: guideWords.usualAccount },
            ...plan.accounts.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={setAccount}
        />
      )}
      <h3>{guideWords.ready(ready.length)}</h3>
      <ul className="items">
        {ready.map((line) => (
          <li key={line.line_id}>
            <div>
              <strong>{nameOf(line)}</strong>
              <span className="faint">{guideWords.packages(line.packages)}</span>
            </div>
            <div className="number">{measuresOf(line)}</div>
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <>
          <h3>{guideWords.notReady(others.length)}</h3>
          <ul className="items">
            {others.map((line) => (
              <li key={line.line_id}>
                <div>
                  <strong>{nameOf(line)}</strong>
                  <span>{line.lacks.map(({ message }) => message).join(' ')}</span>
                </div>
                <div>
                  <button
                    type="button"
                    className="link-button"
                    onClick={() => onOpenLine(line.line_id)}
                  >
                    {guideWords.repair}
                  </button>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
      <Confirm
        key={`${account} ${ready.map(({ line_id }) => line_id)}`}
        lineIds={ready.map(({ line_id }) => line_id)}
        account={account}
        carrier={plan.carrier}
        onBatch={onBatch}
      />
    </div>
  );
}

interface ConfirmProps {
  readonly lineIds: readonly string[];
  readonly account: string;
  readonly carrier: string;
  readonly onBatch: (batchId: string) => void;
}

/** The button that costs money; pressed again after a lost answer, it asks for nothing twice. */
function Confirm({ lineIds, account, carrier, onBatch }: ConfirmProps) {
  const [key] = useState(newKey);
  const request = useChange('guides.request', {
    onSuccess: ({ batch_id }) => onBatch(batch_id),
  });
  if (lineIds.length === 0) return <p className="note note-warn">{guideWords.noneReady}</p>;
  const send = () =>
    request.mutate({
      line_ids: [...lineIds],
      idempotency_key: key,
      ...(account !== '' && { account_id: account }),
    });
  return (
    <>
      <p className="note">{guideWords.cost(carrier)}</p>
      <p className="save-row">
        <button type="button" className="button" disabled={request.isPending} onClick={send}>
          {request.isPending ? words.parts.saving : guideWords.generate(lineIds.length)}
        </button>
      </p>
      {request.error && (
        <FailureNote failure={request.error} title={guideWords.notAsked} onAgain={send} />
      )}
    </>
  );
}

function measuresOf({ weight_kg, length_cm, width_cm, height_cm }: Planned): string {
  return guideWords.measures(Number(weight_kg), [length_cm, width_cm, height_cm].map(Number));
}

const KEY_BYTES = 16;

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
