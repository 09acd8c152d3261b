import { type DragEvent, useCallback, useEffect, useRef, useState } from 'react';
import { cfdiWords } from '../../cfdi-words.ts';
import type { Output } from '../../client.ts';
import { useMay } from '../../frame/use-frame.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { useUploads } from './use-uploads.ts';

const AGAIN_EVERY_MS = 1_000;
const TYPES = '.xml,.zip,application/xml,text/xml,application/zip';

/** Takes XML and ZIP, chosen or dropped, and shows how far they are and which files were set aside, also after the screen was left. */
export function UploadBox({ onDone }: { onDone: () => void }) {
  const mayUpload = useMay('cfdis.upload');
  const uploads = useUploads();
  const { ids, left, refused, isSending, failure, count, canGoOn } = uploads;
  if (!mayUpload && ids.length === 0) return null;
  const drop = (event: DragEvent) => {
    event.preventDefault();
    if (mayUpload && !isSending) uploads.start([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same
    <div className="tile" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      {mayUpload && (
        <>
          <label className="button upload">
            {cfdiWords.upload}
            <input
              type="file"
              className="unseen"
              accept={TYPES}
              multiple
              disabled={isSending}
              onChange={({ target }) => {
                uploads.start([...(target.files ?? [])]);
                target.value = '';
              }}
            />
          </label>
          <p className="faint">{cfdiWords.uploadHelp}</p>
        </>
      )}
      {isSending && <p role="status">{cfdiWords.sending(count - left.length + 1, count)}</p>}
      {!isSending && left.length > 0 && (
        <p className={failure ? undefined : 'fault'} role={failure ? undefined : 'alert'}>
          {cfdiWords.left(left, canGoOn)}
        </p>
      )}
      {failure && (
        <FailureNote failure={failure} title={cfdiWords.notUploaded} onAgain={uploads.goOn} />
      )}
      {(ids.length > 0 || refused.length > 0) && (
        <Progress
          key={ids[0]}
          ids={ids}
          refused={refused}
          isWhole={!isSending && left.length === 0}
          unsent={left.length}
          onDone={onDone}
        />
      )}
    </div>
  );
}

interface ProgressProps {
  readonly ids: readonly string[];
  readonly refused: ReturnType<typeof useUploads>['refused'];
  /** Whether all files were sent. */
  readonly isWhole: boolean;
  readonly unsent: number;
  readonly onDone: () => void;
}

/** What became of all files together. */
function Progress({ ids, refused: unsendable, isWhole, unsent, onDone }: ProgressProps) {
  const [answers, setAnswers] = useState<Readonly<Record<string, Answer>>>({});
  const take = useCallback(
    (id: string, answer: Answer) => setAnswers((all) => ({ ...all, [id]: answer })),
    [],
  );
  const reads = ids.map((id) => answers[id]);
  const sum = (part: 'files' | 'waiting' | 'added' | 'known' | 'refused') =>
    reads.reduce((all, read) => all + (read?.[part] ?? 0), 0);
  const isDone = isWhole && reads.every((read) => read?.waiting === 0);
  const reported = useRef(false);
  useEffect(() => {
    if (isDone && !reported.current) onDone();
    reported.current = isDone;
  }, [isDone, onDone]);
  const [added, known] = [sum('added'), sum('known')];
  const refused = sum('refused') + unsendable.length;
  const errors = reads.flatMap((read) => read?.errors ?? []);
  const files = sum('files') + unsendable.length + unsent;
  const read = files - sum('waiting') - unsent;
  return (
    <>
      {ids.map((id) => (
        <Reading key={id} id={id} onAnswer={take} />
      ))}
      {ids.length > 0 && (
        <>
          <p role="status">
            {isDone
              ? added + known === 0 && refused > 0
                ? cfdiWords.noneTaken(refused)
                : cfdiWords.uploaded(added, known, refused)
              : files > 0
                ? cfdiWords.uploading(read, files)
                : words.parts.loading}
          </p>
          <progress value={read} max={files} aria-label={cfdiWords.upload} />
        </>
      )}
      {unsendable.length > 0 && (
        <div role="alert">
          <Errors errors={unsendable} />
        </div>
      )}
      {errors.length > 0 && <Errors errors={errors} />}
    </>
  );
}

function Errors({ errors }: { errors: ProgressProps['refused'] }) {
  return (
    <ul>
      {errors.map(({ file, message }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
        <li key={at}>
          <strong>{file}</strong>: {message}
        </li>
      ))}
    </ul>
  );
}

/** Asks for one of the uploads until it is read whole. */
function Reading({ id, onAnswer }: { id: string; onAnswer: (id: string, last: Answer) => void }) {
  const [isOver, setOver] = useState(false);
  const { data, error, refetch } = useRead(
    'cfdis.upload-progress',
    { id },
    isOver ? {} : { againEveryMs: AGAIN_EVERY_MS },
  );
  useEffect(() => {
    if (!data) return;
    onAnswer(id, data);
    setOver(data.waiting === 0);
  }, [id, data, onAnswer]);
  return error && <FailureNote failure={error} onAgain={() => void refetch()} />;
}

type Answer = Output<'cfdis.upload-progress'>;
