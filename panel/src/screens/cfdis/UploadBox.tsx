import { useEffect, useRef, useState } from 'react';
import { cfdiWords } from '../../cfdi-words.ts';
import { useMay } from '../../frame/use-frame.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useChange, useRead } from '../../queries.ts';
import { words } from '../../words.ts';

const AGAIN_EVERY_MS = 1_000;
const TYPES = '.xml,.zip,application/xml,text/xml,application/zip';

/** Takes an XML or a ZIP, and shows how far it is and which files were set aside, also after the screen was left. */
export function UploadBox({ onDone }: { onDone: () => void }) {
  const mayUpload = useMay('cfdis.upload');
  const last = useDraft('cfdi-upload', { id: '' });
  const upload = useChange('cfdis.upload', { onSuccess: ({ id }) => last.set('id', id) });
  const [isReading, setReading] = useState(false);
  const [isUnreadable, setUnreadable] = useState(false);
  const { id } = last.values;
  const take = async (file: File | undefined) => {
    if (!file) return;
    setReading(true);
    const content = await base64Of(file).catch(() => null);
    setReading(false);
    setUnreadable(content === null);
    if (content !== null) upload.mutate({ name: file.name, content });
  };
  const isBusy = isReading || upload.isPending;
  if (!mayUpload && id === '') return null;
  return (
    <div className="tile">
      {mayUpload && (
        <>
          <label className="button upload">
            {cfdiWords.upload}
            <input
              type="file"
              className="unseen"
              accept={TYPES}
              disabled={isBusy}
              onChange={({ target }) => {
                void take(target.files?.[0]);
                target.value = '';
              }}
            />
          </label>
          <p className="faint">{cfdiWords.uploadHelp}</p>
        </>
      )}
      {isBusy && <p role="status">{cfdiWords.sending}</p>}
      {isUnreadable && (
        <p className="fault" role="alert">
          {cfdiWords.unreadable}
        </p>
      )}
      {upload.error && (
        <FailureNote
          failure={upload.error}
          title={cfdiWords.notUploaded}
          onAgain={() => upload.variables && upload.mutate(upload.variables)}
        />
      )}
      {id !== '' && <Progress key={id} id={id} onDone={onDone} />}
    </div>
  );
}

function Progress({ id, onDone }: { id: string; onDone: () => void }) {
  const [isOver, setOver] = useState(false);
  const { data, error, refetch } = useRead(
    'cfdis.upload-progress',
    { id },
    isOver ? {} : { againEveryMs: AGAIN_EVERY_MS },
  );
  const isDone = data?.waiting === 0;
  const reported = useRef(false);
  useEffect(() => {
    if (!isDone || reported.current) return;
    reported.current = true;
    setOver(true);
    onDone();
  }, [isDone, onDone]);
  if (error) return <FailureNote failure={error} onAgain={() => void refetch()} />;
  if (!data) return <p role="status">{words.parts.loading}</p>;
  const { files, waiting, added, known, refused, errors } = data;
  return (
    <>
      <p role="status">
        {isDone
          ? added + known === 0 && refused > 0
            ? cfdiWords.noneTaken(refused)
            : cfdiWords.uploaded(added, known, refused)
          : cfdiWords.uploading(files - waiting, files)}
      </p>
      <progress value={files - waiting} max={files} aria-label={cfdiWords.upload} />
      {errors.length > 0 && (
        <ul>
          {errors.map(({ file, message }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
            <li key={at}>
              <strong>{file}</strong>: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
