import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { durationText, figuresWords } from './words.ts';

/** How long changes of orders took to arrive, by marketplace. */
export function Delays({ delays }: { delays: Output<'figures.read'>['delays'] }) {
  return (
    <section className="tile tile-wide" aria-labelledby="delays">
      <h2 id="delays">{figuresWords.delays}</h2>
      <p className="faint">{delays.length > 0 ? figuresWords.delaysNote : figuresWords.noDelays}</p>
      {delays.length > 0 && (
        <FiguresTable
          labelledBy="delays"
          row={figuresWords.marketplace}
          figures={[figuresWords.median, figuresWords.p95, figuresWords.changes]}
        >
          {delays.map(({ marketplace, name, median, p95, changes }) => (
            <tr key={marketplace}>
              <th scope="row">
                <ServiceMark name={name} />
              </th>
              <td className="number">{durationText(median)}</td>
              <td className="number">{durationText(p95)}</td>
              <td className="number">{countText(changes)}</td>
            </tr>
          ))}
        </FiguresTable>
      )}
    </section>
  );
}
