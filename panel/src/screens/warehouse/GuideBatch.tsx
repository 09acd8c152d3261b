import { SidePanel } from '../../parts/SidePanel.tsx';
import { BatchResult } from './BatchResult.tsx';
import { guideWords } from './guide-words.ts';
import { RecentBatches } from './RecentBatches.tsx';
import { Review } from './Review.tsx';
import { RECENT, REVIEW } from './search.ts';
import type { Chosen } from './use-chosen.ts';

interface GuideBatchProps {
  /** The lines that are reviewed. */
  readonly chosen: Chosen;
  /** The batch whose result is shown, or `RECENT`, or `REVIEW`; «» = none. */
  readonly batchId: string;
  /** Of the carrier, for the reviewed lines; undefined = that of the settings. */
  readonly account: string | undefined;
  readonly onAccount: (account: string | undefined) => void;
  /** Of the chosen lines. */
  readonly onBatch: (batchId: string) => void;
  readonly onOpenBatch: (batchId: string) => void;
  readonly onOpenLine: (lineId: string) => void;
  readonly onRetry: (lineIds: Chosen, account?: string) => void;
  readonly onClose: () => void;
}

/** First what would be asked of the carrier, then what became of it. */
export function GuideBatch(props: GuideBatchProps) {
  const { batchId, onOpenBatch, onClose } = props;
  return (
    <SidePanel isOpen={batchId !== ''} title={titleOf(batchId)} onClose={onClose}>
      {batchId === REVIEW && <Review {...props} />}
      {batchId === RECENT && <RecentBatches onOpen={onOpenBatch} />}
      {![REVIEW, RECENT, ''].includes(batchId) && <BatchResult key={batchId} {...props} />}
    </SidePanel>
  );
}

function titleOf(batchId: string): string {
  if (batchId === REVIEW) return guideWords.review;
  return batchId === RECENT ? guideWords.recent : guideWords.result;
}
