import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { Scrolled } from '../../parts/Scrolled.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { durationText, figuresWords } from './words.ts';

/** How long changes of orders took to arrive, by marketplace. */
export function Delays({ delays }: { delays: Output<'figures.read'>['delays'] }) {
  return (
    <section className="tile tile-wide" aria-labelledby="delays">
      <h2 id="delays">{figuresWords.delays}</h2>
      <p className="faint">{delays.length > 0 ? figuresWords.delaysNote : figuresWords.noDelays}</p>
      {delays.length > 0 && (
        <Scrolled>
          <table className="plain" aria-labelledby="delays">
            <thead>
              <tr>
                <th scope="col">{figuresWords.marketplace}</th>
                {[figuresWords.median, figuresWords.p95, figuresWords.changes].map((head) => (
                  <th key={head} scope="col" className="number">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
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
            </tbody>
          </table>
        </Scrolled>
      )}
    </section>
  );
}
