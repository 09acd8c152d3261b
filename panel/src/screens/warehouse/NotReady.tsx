import type { Output } from '../../client.ts';
import { guideWords } from './guide-words.ts';
import { type GoodsObstacle, MissingMeasures } from './MissingMeasures.tsx';
import { Parcel } from './Parcel.tsx';

type Planned = Output<'guides.plan'>['lines'][number];

/** They keep every line from its guide. */
const OF_EVERY_LINE = ['missing_origin', 'carrier_not_connected', 'carrier_account_ambiguous'];
const OF_GOODS = ['missing_weight', 'missing_dimensions'];

interface NotReadyProps {
  readonly lines: readonly Planned[];
  readonly nameOf: (line: Planned) => string;
  readonly onOpenLine: (lineId: string) => void;
}

/** The lines of a review that lack something; what several of them lack is said once. */
export function NotReady({ lines, nameOf, onOpenLine }: NotReadyProps) {
  const shared = sharedBy(lines);
  return (
    <>
      {shared.size > 0 && (
        <>
          <h4>{guideWords.sharedGoods}</h4>
          <ul className="lacks">
            <MissingMeasures lacks={lacksOf(lines, (name) => shared.has(name))} counts={shared} />
          </ul>
        </>
      )}
      <ul className="items">
        {lines.map((line) => (
          <li key={line.line_id}>
            <Missing
              line={line}
              name={nameOf(line)}
              shared={shared}
              onOpen={() => onOpenLine(line.line_id)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface MissingProps {
  readonly line: Planned;
  readonly name: string;
  readonly shared: ReadonlyMap<string, number>;
  readonly onOpen: () => void;
}

/** All that a line lacks, each with the way to mend it. */
function Missing({ line, name, shared, onOpen }: MissingProps) {
  const own = line.lacks.filter((each) => !isOfEveryLine(each));
  const others = own.filter((each) => !isOfGoods(each));
  const goods = own.filter(isOfGoods);
  const above = namesIn(goods).filter((each) => shared.has(each));
  // A line without any goods to send lacks their weight, and names none.
  const isEmpty = goods.length > 0 && namesIn(goods).length === 0;
  const alone = isEmpty ? goods : lacksOf([line], (each) => !shared.has(each));
  return (
    <div className="missing">
      <button type="button" className="link-button line-name" onClick={onOpen}>
        {name}
      </button>
      <Parcel line={line} />
      <ul className="lacks">
        {above.length > 0 && <li>{guideWords.waitsFor(above)}</li>}
        <MissingMeasures lacks={alone} />
        {others.map(({ code, message }) => (
          <li key={code}>
            {code === 'missing_address' ? guideWords.noAddress : message}{' '}
            {code === 'missing_address' && (
              <button type="button" className="link-button" onClick={onOpen}>
                {guideWords.writeAddress}
              </button>
            )}
          </li>
        ))}
        {own.length === 0 && <li className="faint">{guideWords.nothingElse}</li>}
      </ul>
    </div>
  );
}

export function isOfEveryLine({ code }: { readonly code: string }): boolean {
  return OF_EVERY_LINE.includes(code);
}

function isOfGoods({ code }: { readonly code: string }): boolean {
  return OF_GOODS.includes(code);
}

/** The articles whose measures several lines lack, and how many lines those are. */
function sharedBy(lines: readonly Planned[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { lacks } of lines)
    for (const name of namesIn(lacks)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...counts].filter(([, count]) => count > 1));
}

function namesIn(lacks: readonly GoodsObstacle[]): string[] {
  return [...new Set(lacks.flatMap(({ articles }) => articles.map(({ name }) => name)))];
}

/** What lines lack of the measures of these articles, each article once. */
function lacksOf(lines: readonly Planned[], isWanted: (name: string) => boolean): GoodsObstacle[] {
  return OF_GOODS.flatMap((code) => {
    const all = lines.flatMap(({ lacks }) =>
      lacks.flatMap((each) => (each.code === code ? each.articles : [])),
    );
    const articles = [...new Map(all.map((one) => [one.name, one])).values()];
    const wanted = articles.filter(({ name }) => isWanted(name));
    return wanted.length > 0 ? [{ code, articles: wanted }] : [];
  });
}
