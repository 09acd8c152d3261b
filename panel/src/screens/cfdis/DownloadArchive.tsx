import { cfdiWords } from '../../cfdi-words.ts';
import type { Input } from '../../client.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { useAnswer } from '../../queries.ts';

/** Downloads the XML that the filters find as a ZIP, by a link that is made when it is asked for. */
export function DownloadArchive({ filters }: { filters: Input<'cfdis.archive'> }) {
  const download = useAnswer('cfdis.archive', ({ url }) => location.assign(url));
  const ask = () => download.mutate(filters);
  return (
    <>
      <p className="acts">
        <button type="button" className="button quiet" disabled={download.isPending} onClick={ask}>
          {cfdiWords.downloadAll}
        </button>
        <span className="faint">{cfdiWords.downloadAllHelp}</span>
      </p>
      {download.error && (
        <FailureNote failure={download.error} title={cfdiWords.notDownloaded} onAgain={ask} />
      )}
    </>
  );
}
