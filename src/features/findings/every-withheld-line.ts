import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import * as store from './store-withheld-lines.ts';
import { WALK } from './withheld-lines.ts';

/** A line beside the marketplace that withheld it. */
export interface LineOfMarketplace extends store.WithheldLine {
  readonly marketplace: Marketplace;
}

/** Where the next page of all lines begins. */
export interface PositionOfWithheld {
  readonly marketplace: Marketplace;
  readonly after: store.LinePosition | null;
}

const IN_ORDER = MARKETPLACES.toSorted();

/**
 * The lines of one marketplace after the other; a page may have none.
 * @param only the only marketplace; null = all
 * @returns `next` null = there are no more
 */
export async function everyWithheldLine(
  scope: ReadScope,
  days: store.WithheldDays,
  only: Marketplace | null,
  position: PositionOfWithheld | null,
  limit: number,
): Promise<{ lines: LineOfMarketplace[]; next: PositionOfWithheld | null }> {
  const wanted = only ? [only] : IN_ORDER;
  const { marketplace, after } = position ?? { marketplace: wanted[0] as Marketplace, after: null };
  const rows = await store.withheldLines(scope, marketplace, days, after, limit);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const following = wanted[wanted.indexOf(marketplace) + 1];
  const beyond = following ? { marketplace: following, after: null } : null;
  return {
    lines: rows.map((row) => ({ ...row, marketplace })),
    next: last ? { marketplace, after: WALK.positionOf(last) } : beyond,
  };
}
