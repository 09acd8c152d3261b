import { listText } from '../../address.ts';
import { countText } from '../../format.ts';
import { openWords } from '../../open-words.ts';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { openTags } from '../../words.ts';
import { To } from './To.tsx';

const SEARCH = `?posventa=${listText(Object.keys(openTags))}`;

/** How many orders have a return or a claim open, with the list of them. */
export function OpenOrders({ count, hasMore }: { count: number; hasMore: boolean }) {
  const shown = countText(count);
  const word = hasMore ? openWords.atLeast(shown) : openWords.orders(shown, count === 1);
  return (
    <li>
      <div>
        <StatusBadge tone="warn" word={word} />
        <To page="orders" search={SEARCH} words={openWords.see} />
      </div>
    </li>
  );
}
