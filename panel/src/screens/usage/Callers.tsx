import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { FiguresTable } from '../../parts/FiguresTable.tsx';
import { Age } from '../../parts/When.tsx';
import { usageWords } from './words.ts';

type Caller = Output<'usage.read'>['callers'][number];

interface CallersProps {
  readonly callers: readonly Caller[];
  /** The id of the one that is shown alone; null = all. */
  readonly chosen: string | null;
  readonly onChoose: (id: string | null) => void;
}

/** The keys and agents of the period, the busiest first; each can be shown alone. */
export function Callers({ callers, chosen, onChoose }: CallersProps) {
  return (
    <section className="tile" aria-labelledby="callers">
      <h2 id="callers">{usageWords.callers}</h2>
      <FiguresTable
        labelledBy="callers"
        row={usageWords.caller}
        figures={[usageWords.admitted, usageWords.refused, usageWords.last]}
      >
        {callers.map(({ kind, id, name, last_four, admitted, refused, last_at }) => (
          <tr key={id}>
            <th scope="row">
              <button
                type="button"
                className="link-button"
                aria-pressed={chosen === id}
                title={usageWords.only(name ?? usageWords.gone[kind])}
                onClick={() => onChoose(chosen === id ? null : id)}
              >
                {name ?? usageWords.gone[kind]}
              </button>{' '}
              <span className="faint">
                {usageWords.kinds[kind]}
                {last_four && ` …${last_four}`}
              </span>
            </th>
            <td className="number">{countText(admitted)}</td>
            <td className="number">{countText(refused)}</td>
            <td className="number">
              <Age at={last_at} />
            </td>
          </tr>
        ))}
      </FiguresTable>
      {chosen !== null && (
        <button type="button" className="button quiet" onClick={() => onChoose(null)}>
          {usageWords.all}
        </button>
      )}
    </section>
  );
}
