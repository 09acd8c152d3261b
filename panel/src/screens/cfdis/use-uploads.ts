import { useEffect, useRef, useState } from 'react';
import { cfdiWords } from '../../cfdi-words.ts';
import { CallFailure, change } from '../../client.ts';
import { useDraft } from '../../parts/use-draft.ts';

/** A file that the service took no part of, and why. */
interface RefusedFile {
  readonly file: string;
  readonly message: string;
}

/** Of a file itself: the next one may be taken all the same. */
const OF_ONE_FILE: ReadonlySet<string> = new Set(['invalid_request', 'payload_too_large']);

/**
 * Sends files, one after the other, and stops where the service cannot be asked: what it took is
 * kept in this tab with the names of what is left, and the rest is sent on request.
 */
export function useUploads() {
  const draft = useDraft('cfdi-upload', { id: '', left: '[]', refused: '[]' });
  const [queue, setQueue] = useState<readonly File[]>([]);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<CallFailure | null>(null);
  const [count, setCount] = useState(0);
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const left: readonly string[] = JSON.parse(draft.values.left);
  const refused: readonly RefusedFile[] = JSON.parse(draft.values.refused);
  const ids = draft.values.id.split(' ').filter((id) => id !== '');

  /** @param taken what earlier files of this batch became */
  async function send(files: readonly File[], taken: { ids: string[]; refused: RefusedFile[] }) {
    setSending(true);
    setFailure(null);
    for (const [at, file] of files.entries()) {
      keep(files.slice(at));
      if (!isHere.current) return;
      const stopped = await sendOne(file, taken);
      if (stopped === null) continue;
      keep(files.slice(at));
      setFailure(stopped);
      setSending(false);
      return;
    }
    keep([]);
    setSending(false);

    function keep(rest: readonly File[]): void {
      setQueue(rest);
      const names = JSON.stringify(rest.map(({ name }) => name));
      draft.put({ id: taken.ids.join(' '), left: names, refused: JSON.stringify(taken.refused) });
    }
  }

  return {
    ids,
    refused,
    /** The names of files that are not sent, the next one first. */
    left,
    isSending,
    failure,
    /** Of the batch that is sent now. */
    count,
    /** Whether the files that are left are still at hand. */
    canGoOn: queue.length > 0,
    goOn: () => void send(queue, { ids, refused: [...refused] }),
    start(files: readonly File[]): void {
      if (files.length === 0) return;
      // After a stop the rest is chosen again, and belongs to the same batch.
      const isRest = left.length > 0;
      setCount(files.length);
      void send(files, isRest ? { ids, refused: [...refused] } : { ids: [], refused: [] });
    },
  };
}

/** @returns why nothing can be sent now; null = go on */
async function sendOne(
  file: File,
  taken: { readonly ids: string[]; readonly refused: RefusedFile[] },
): Promise<CallFailure | null> {
  const refuse = (message: string) => void taken.refused.push({ file: file.name, message });
  const content = await base64Of(file).catch(() => null);
  if (content === null) {
    refuse(cfdiWords.unreadable);
    return null;
  }
  try {
    const { id } = await change('cfdis.upload', { name: file.name, content });
    taken.ids.push(id);
    return null;
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    if (!OF_ONE_FILE.has(error.code)) return error;
    refuse(error.message);
    return null;
  }
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
