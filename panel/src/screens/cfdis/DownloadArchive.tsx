import { cfdiWords } from '../../cfdi-words.ts';
import type { Input } from '../../client.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { useAnswer } from '../../queries.ts';

interface ArchiveProps {
  readonly filters: Input<'cfdis.archive'>;
  /** Nothing was found, or not yet: the button waits, so that nothing below it jumps. */
  readonly isEmpty: boolean;
}

/** Downloads the XML that the filters find as a ZIP, by a link that is made when it is asked for. */
export function DownloadArchive({ filters, isEmpty }: ArchiveProps) {
  const download = useAnswer('cfdis.archive', ({ url }) => location.assign(url));
  const ask = () => download.mutate(filters);
  return (
    <>
      <p className="acts">
        <BusyButton className="button quiet" isBusy={isEmpty || download.isPending} onClick={ask}>
          {cfdiWords.downloadAll}
        </BusyButton>
        <span className="faint">{cfdiWords.downloadAllHelp}</span>
      </p>
      {download.error && (
        <FailureNote failure={download.error} title={cfdiWords.notDownloaded} onAgain={ask} />
      )}
    </>
  );
}
