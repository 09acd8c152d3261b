import { cfdiWords } from '../cfdi-words.ts';
import { useAnswer } from '../queries.ts';

/** Downloads the XML of a CFDI, by a link that is made when it is asked for. */
export function DownloadXml({ uuid, className }: { uuid: string; className: string }) {
  const download = useAnswer('cfdis.xml', ({ url }) => location.assign(url));
  return (
    <>
      <button
        type="button"
        className={className}
        aria-disabled={download.isPending}
        onClick={() => !download.isPending && download.mutate({ uuid })}
      >
        {cfdiWords.download}
      </button>
      {download.error && <span role="alert"> {download.error.message}</span>}
    </>
  );
}
