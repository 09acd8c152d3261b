import type { ReadScope } from '../../platform/db/database.ts';
import type { Line } from './line.ts';
import { measureParcel } from './measure.ts';
import { contentsOfEach } from './products.ts';

/** What keeps a line from its guide, and of which products: their SKU, or a title without one. */
export interface LineLack {
  readonly code: 'missing_weight' | 'missing_dimensions';
  readonly names: readonly string[];
}

/** By the line's id; lines that have a guide, or need none any more, lack nothing. */
export async function lacksOf(
  scope: ReadScope,
  lines: readonly Line[],
): Promise<ReadonlyMap<string, LineLack>> {
  const open = lines.filter(({ state, trackingNumber }) => state === 'staged' && !trackingNumber);
  const contents = await contentsOfEach(scope, open);
  const found = new Map<string, LineLack>();
  for (const [at, line] of open.entries()) {
    const measured = measureParcel(contents[at] ?? [], line.packages);
    if (!measured.ok) found.set(line.id, { code: measured.code, names: measured.names });
  }
  return found;
}
