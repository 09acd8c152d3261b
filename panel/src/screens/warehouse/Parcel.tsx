import type { Output } from '../../client.ts';
import { guideWords } from './guide-words.ts';

type Planned = Output<'guides.plan'>['lines'][number];

/** Where a parcel goes and what is in it, so that a wrong one is seen before it is paid for. */
export function Parcel({ line: { destination: to, items = [] } }: { line: Planned }) {
  return (
    <>
      {to && (
        <>
          <span>{guideWords.to(to.name)}</span>
          <span>
            {to.street} {to.number}, {to.colony}
          </span>
          <span>{guideWords.place(to.zipcode, to.city, to.state)}</span>
        </>
      )}
      {items.length > 0 && (
        <span>
          {guideWords.contents} {items.map(guideWords.item).join(', ')}
        </span>
      )}
    </>
  );
}
