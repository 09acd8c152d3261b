import { organizationId } from '../../client.ts';
import { countText } from '../../format.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { useRead } from '../../queries.ts';
import { homeWords } from './words.ts';

/** The lines that wait in the warehouse. */
export function ParcelsCard() {
  const { data, error, refetch } = useRead('warehouse.count', {});
  const shown = (count: number, hasMore: boolean) =>
    hasMore ? homeWords.atLeast(countText(count)) : countText(count);
  const leaving = data && homeWords.withGuide(shown(data.with_guide, data.with_guide_has_more));
  return (
    <section className="tile" aria-labelledby="parcels">
      <h2 id="parcels">{homeWords.parcels}</h2>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p className="ghost ghost-figure" />}
      {data && (
        <div className="figure">
          <p className="figure-main">{shown(data.without_guide, data.has_more)}</p>
          <p>
            {homeWords.withoutGuide} ·{' '}
            <PanelLink address={`/panel/${organizationId}/almacen`}>{homeWords.prepare}</PanelLink>
          </p>
          <p className="faint">
            {data.with_guide > 0 ? (
              <PanelLink address={`/panel/${organizationId}/almacen?parte=con-guia`}>
                {leaving}
              </PanelLink>
            ) : (
              leaving
            )}
          </p>
        </div>
      )}
    </section>
  );
}
