import type { ReadScope } from '../../../platform/db/database.ts';
import { linesWithOpenAttempts } from '../guides/store-guide-attempts.ts';
import { type Article, type Content, lacksOfGoods } from '../products/measure.ts';
import { contentsOfEach } from '../products/products.ts';
import type { Line } from './line.ts';

/** What a line itself lacks for its guide. */
export interface LineLack {
  readonly code:
    | 'missing_weight'
    | 'missing_dimensions'
    | 'missing_address'
    /** A former attempt has no answer yet. */
    | 'guide_outcome_unknown';
  readonly articles: readonly Article[];
}

/**
 * All that each line lacks, by its id. A line that waits for no guide is not among them; one that
 * is ready for its guide lacks nothing.
 */
export async function lacksOf(
  scope: ReadScope,
  lines: readonly Line[],
): Promise<ReadonlyMap<string, readonly LineLack[]>> {
  const open = lines.filter(({ state, trackingNumber }) => state === 'staged' && !trackingNumber);
  const contents = await contentsOfEach(scope, open);
  const ids = open.map(({ id }) => id);
  const waiting = new Set(await linesWithOpenAttempts(scope, ids));
  return new Map(
    open.map((line, at) => [
      line.id,
      [
        ...(waiting.has(line.id) ? [{ code: 'guide_outcome_unknown' as const, articles: [] }] : []),
        ...lacksOfParcel(line, contents[at] ?? []),
      ],
    ]),
  );
}

type ParcelLack = LineLack & { readonly code: Exclude<LineLack['code'], 'guide_outcome_unknown'> };

export function lacksOfParcel(
  { destination }: Pick<Line, 'destination'>,
  contents: readonly Content[],
): readonly ParcelLack[] {
  const goods = lacksOfGoods(contents);
  return destination === null ? [...goods, { code: 'missing_address', articles: [] }] : goods;
}
