import { useState } from 'react';
import { CallFailure, change } from '../../client.ts';
import { guideWords } from './guide-words.ts';

interface LabelButtonsProps {
  readonly attemptIds: readonly string[];
  readonly hasPdf: boolean;
  readonly hasZpl: boolean;
}

type Format = 'pdf' | 'zpl';

/** Downloads the labels of guides; those of several in one ZPL, as label printers take them. */
export function LabelButtons({ attemptIds, hasPdf, hasZpl }: LabelButtonsProps) {
  const [busy, setBusy] = useState<Format | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const isOne = attemptIds.length === 1;
  const download = async (format: Format) => {
    setBusy(format);
    setFault(null);
    try {
      await save(await labelsOf(attemptIds), format);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setFault(error.message);
    } finally {
      setBusy(null);
    }
  };
  // Labels that are missing are asked of the carrier again.
  const formats: readonly Format[] = [
    ...(isOne && (hasPdf || !hasZpl) ? (['pdf'] as const) : []),
    ...(hasZpl ? (['zpl'] as const) : []),
  ];
  return (
    <span className="label-buttons">
      {formats.map((format) => (
        <button
          key={format}
          type="button"
          className={isOne ? 'link-button' : 'button quiet'}
          disabled={busy !== null}
          onClick={() => void download(format)}
        >
          {busy === format
            ? guideWords.fetching
            : guideWords.download[format](isOne ? 1 : attemptIds.length)}
        </button>
      ))}
      {fault && (
        <span className="fault" role="alert">
          {fault}
        </span>
      )}
    </span>
  );
}

interface Labels {
  readonly tracking: string | null;
  readonly zpl: string | null;
  readonly pdf: string | null;
}

async function labelsOf(attemptIds: readonly string[]): Promise<Labels[]> {
  const labels: Labels[] = [];
  for (const attempt_id of attemptIds) labels.push(await change('guides.labels', { attempt_id }));
  return labels;
}

/** @throws CallFailure when the carrier gave none of them */
async function save(labels: readonly Labels[], format: Format): Promise<void> {
  const given = labels.flatMap((one) => one[format] ?? []);
  if (given.length === 0) throw new CallFailure('not_found', guideWords.noLabel, null, null);
  const name = labels.length === 1 ? (labels[0]?.tracking ?? 'etiqueta') : 'etiquetas';
  const content =
    format === 'zpl'
      ? new Blob([given.join('\n')], { type: 'text/plain' })
      : new Blob([bytesOf(given[0] ?? '')], { type: 'application/pdf' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = `${name}.${format}`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
