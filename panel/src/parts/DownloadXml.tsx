import { cfdiWords } from '../cfdi-words.ts';
import { useAnswer } from '../queries.ts';
import { BusyButton } from './BusyButton.tsx';

/** Downloads the XML of a CFDI, by a link that is made when it is asked for. */
export function DownloadXml({ uuid, className }: { uuid: string; className: string }) {
  const download = useAnswer('cfdis.xml', ({ url }) => location.assign(url));
  return (
    <>
      <BusyButton
        className={className}
        isBusy={download.isPending}
        onClick={() => download.mutate({ uuid })}
      >
        {cfdiWords.download}
      </BusyButton>
      {download.error && <span role="alert"> {download.error.message}</span>}
    </>
  );
}
