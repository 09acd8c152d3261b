import type { ReadScope } from '../../../platform/db/database.ts';
import type { ObstacleCode } from '../guides/guide-obstacle.ts';
import { linesWithOpenAttempts } from '../guides/store-guide-attempts.ts';
import { type Article, type Content, goodsObstaclesOf } from '../products/measure.ts';
import { contentsOfEach } from '../products/products.ts';
import type { Line } from './line.ts';

/** What keeps a line itself from its guide. */
export interface LineObstacle {
  readonly code: Extract<
    ObstacleCode,
    'missing_weight' | 'missing_dimensions' | 'missing_address' | 'guide_outcome_unknown'
  >;
  readonly articles: readonly Article[];
}

/**
 * All that keeps each line from its guide, by its id. A line that waits for no guide is not among
 * them; one that is ready for its guide has no obstacle.
 */
export async function obstaclesOf(
  scope: ReadScope,
  lines: readonly Line[],
): Promise<ReadonlyMap<string, readonly LineObstacle[]>> {
  const open = lines.filter(({ state, trackingNumber }) => state === 'staged' && !trackingNumber);
  const contents = await contentsOfEach(scope, open);
  const ids = open.map(({ id }) => id);
  const waiting = new Set(await linesWithOpenAttempts(scope, ids));
  return new Map(
    open.map((line, at) => [
      line.id,
      [
        ...(waiting.has(line.id) ? [{ code: 'guide_outcome_unknown' as const, articles: [] }] : []),
        ...parcelObstaclesOf(line, contents[at] ?? []),
      ],
    ]),
  );
}

export function parcelObstaclesOf(
  { destination }: Pick<Line, 'destination'>,
  contents: readonly Content[],
): readonly LineObstacle[] {
  const goods = goodsObstaclesOf(contents);
  return destination === null ? [...goods, { code: 'missing_address', articles: [] }] : goods;
}
