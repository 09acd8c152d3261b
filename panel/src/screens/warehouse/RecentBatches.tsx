import { FailureNote } from '../../parts/FailureNote.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { When } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { guideWords } from './guide-words.ts';

const AGAIN_EVERY_MS = 5_000;

/** The last batches of guides; one of them leads back to its result and its labels. */
export function RecentBatches({ onOpen }: { onOpen: (batchId: string) => void }) {
  const { data, error, refetch } = useRead('guides.batches', {}, { againEveryMs: AGAIN_EVERY_MS });
  const failure = error && <FailureNote failure={error} onAgain={() => void refetch()} />;
  if (!data) return failure ?? <p role="status">{words.parts.loading}</p>;
  if (data.data.length === 0) return <p>{guideWords.recentEmpty}</p>;
  return (
    <>
      {failure}
      <ul className="items">
        {data.data.map(({ batch_id, requested_at, by, state, ...counts }) => (
          <li key={batch_id}>
            <div>
              <button
                type="button"
                className="link-button line-name"
                onClick={() => onOpen(batch_id)}
              >
                <When at={requested_at} />
              </button>
              <span>
                {state === 'done' ? guideWords.done(counts) : guideWords.ofLines(counts.total)}
              </span>
              <span className="faint">{guideWords.askedBy(by)}</span>
              {state === 'running' && <StatusBadge tone="busy" word={guideWords.underWay} />}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
