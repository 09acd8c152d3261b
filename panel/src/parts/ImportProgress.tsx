import type { Output } from '../client.ts';
import { useTimezone } from '../frame/use-frame.ts';
import { importWords } from '../import-words.ts';

type Import = Output<'connections.imports'>['data'][number];

/** How far a first import is, and what is left where the service counts its rows. */
export function ImportProgress({ of, service }: { of: Import; service: string }) {
  const timezone = useTimezone();
  const count = importWords.count(of);
  return (
    <div className="import">
      <p className="number">{count}</p>
      {of.total !== null && <progress aria-label={count} max={of.total} value={of.items} />}
      <p className="faint">{importWords.pace(of, service)}</p>
      <p className="faint">{importWords.span(of, timezone)}</p>
    </div>
  );
}
