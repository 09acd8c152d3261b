import { useState } from 'react';
import type { CallFailure } from '../../client.ts';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { useChange } from '../../queries.ts';
import { ChosenBar } from './ChosenBar.tsx';
import { transferWords } from './guide-words.ts';
import type { useChosen } from './use-chosen.ts';

/** More of them are a number. */
const NAMED = 12;

/** The chosen lines with a guide, which leave the warehouse together. */
export function TransferBar({ leaving }: { readonly leaving: ReturnType<typeof useChosen> }) {
  const { chosen, drop } = leaving;
  const [isAsking, setAsking] = useState(false);
  const transfer = useChange('lines.transfer-all', {
    onSuccess({ transferred, refused }) {
      const [first] = refused;
      const said = [
        transferWords.done(transferred.length),
        first && transferWords.refused(refused.length, first.message),
      ];
      drop(transferred, said.filter(Boolean).join(' '));
    },
  });
  const names = [...chosen.values()];
  const send = () => transfer.mutate({ line_ids: [...chosen.keys()] });
  return (
    <>
      {transfer.error && chosen.size > 0 && (
        <FailureNote failure={transfer.error} title={titleOf(transfer.error)} onAgain={send} />
      )}
      <ChosenBar
        of={leaving}
        action={transferWords.transfer}
        isBusy={transfer.isPending}
        onAct={() => setAsking(true)}
      />
      <ConfirmDialog
        isOpen={isAsking}
        title={transferWords.title(chosen.size)}
        action={transferWords.transfer}
        isDanger={false}
        onClose={() => setAsking(false)}
        onConfirm={send}
      >
        <p>{transferWords.which(names.slice(0, NAMED), Math.max(0, names.length - NAMED))}</p>
        <p>{transferWords.meaning}</p>
      </ConfirmDialog>
    </>
  );
}

/** The answer may be lost after the lines left. */
function titleOf({ code }: CallFailure): string {
  return code === 'offline' ? transferWords.unknown : transferWords.notTransferred;
}
