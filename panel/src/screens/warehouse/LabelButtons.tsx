import { useState } from 'react';
import { CallFailure, change, type Output } from '../../client.ts';
import { fileMoment } from '../../format.ts';
import { useTimezone } from '../../frame/use-frame.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { words } from '../../words.ts';
import { guideWords } from './guide-words.ts';

interface LabelButtonsProps {
  readonly attemptIds: readonly string[];
  readonly hasPdf: boolean;
  readonly hasZpl: boolean;
  /** When the batch of all these guides was asked for. */
  readonly askedAt?: string;
}

type Format = 'pdf' | 'zpl';
type Labels = Output<'guides.labels'>;

interface Progress {
  readonly format: Format;
  readonly done: number;
}

/** Downloads the labels of guides; those of several in one file, to be printed at once. */
export function LabelButtons({ attemptIds, hasPdf, hasZpl, askedAt }: LabelButtonsProps) {
  const timezone = useTimezone();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const count = attemptIds.length;
  const download = async (format: Format) => {
    setFault(null);
    setSaid(null);
    try {
      const labels: Labels[] = [];
      for (const attempt_id of attemptIds) {
        setProgress({ format, done: labels.length });
        labels.push(await change('guides.labels', { attempt_id }));
      }
      const moment = askedAt === undefined ? null : fileMoment(askedAt, timezone);
      const { fileName, saved, missing } = await save(labels, format, moment);
      setSaid(guideWords.downloaded(fileName, saved));
      if (missing.length > 0) setFault(guideWords.missing(missing));
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setFault(error.message);
    } finally {
      setProgress(null);
    }
  };
  // Labels that are missing are asked of the carrier again.
  const formats: readonly Format[] = [
    ...(hasPdf || !hasZpl ? (['pdf'] as const) : []),
    ...(hasZpl ? (['zpl'] as const) : []),
  ];
  return (
    <span className="label-buttons">
      {formats.map((format) => (
        <BusyButton
          key={format}
          className={count === 1 ? 'link-button' : 'button quiet'}
          isBusy={progress !== null}
          onClick={() => void download(format)}
        >
          {progress?.format === format
            ? guideWords.fetching(progress.done, count)
            : guideWords.download[format](count)}
        </BusyButton>
      ))}
      <span role="status">{said}</span>
      {fault && (
        <span className="fault" role="alert">
          {fault}
        </span>
      )}
    </span>
  );
}

interface Saved {
  readonly fileName: string;
  /** How many labels the file has. */
  readonly saved: number;
  /** The tracking numbers of the others. */
  readonly missing: readonly string[];
}

/**
 * Saves those that the carrier gave. @param moment of the batch; null = of one guide
 * @throws CallFailure when there are none, or the code that joins them does not load
 */
async function save(
  labels: readonly Labels[],
  format: Format,
  moment: string | null,
): Promise<Saved> {
  const given = labels.filter((one) => one[format] !== null);
  const { content, unread } = await contentOf(given, format);
  if (content === null) throw new CallFailure('not_found', guideWords.noLabel, null, null);
  const saved = given.length - unread.length;
  const name =
    moment === null ? (labels[0]?.tracking ?? 'etiqueta') : guideWords.fileName(moment, saved);
  const fileName = `${name}.${format}`;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
  const missing = [...labels.filter((one) => one[format] === null), ...unread];
  return { fileName, saved, missing: missing.map(({ tracking }) => tracking ?? '') };
}

interface Content {
  readonly content: Blob | null;
  /** Whose file is damaged. */
  readonly unread: readonly Labels[];
}

async function contentOf(given: readonly Labels[], format: Format): Promise<Content> {
  if (given.length === 0) return { content: null, unread: [] };
  if (format === 'zpl') {
    const text = given.map(({ zpl }) => zpl).join('\n');
    return { content: new Blob([text], { type: 'text/plain' }), unread: [] };
  }
  const files = given.map(({ pdf }) => bytesOf(pdf ?? ''));
  const type = 'application/pdf';
  if (files.length === 1) return { content: new Blob(files, { type }), unread: [] };
  const { mergePdfs } = await import('./merge-labels.ts').catch(() => {
    throw new CallFailure('offline', words.frame.brokenHelp, null, null);
  });
  const { file, unread } = await mergePdfs(files);
  return {
    content: file && new Blob([file], { type }),
    unread: given.filter((_, position) => unread.includes(position)),
  };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
