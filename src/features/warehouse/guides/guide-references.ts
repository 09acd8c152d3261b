import { createHash } from 'node:crypto';
import type { ReadScope } from '../../../platform/db/database.ts';
import type { Line } from '../lines/line.ts';
import { parcelOf, takenReferences } from './store-guide-attempts.ts';

/** More attempts at one parcel's guide than people make. */
const MOST = 200;

/**
 * The next references of a line's attempts at the carrier. They follow from its parcel alone, which
 * is the same after a restore, so that an attempt that the backup does not have is found again.
 * @throws Error where all are taken
 */
export async function nextReferences(
  scope: ReadScope,
  line: Line,
  count: number,
): Promise<[string, ...string[]]> {
  const name = await parcelOf(scope, line.id);
  const parcel = [scope.organizationId, line.marketplace, line.accountId, name];
  const all = Array.from({ length: MOST }, (_, attemptIndex) => referenceOf(parcel, attemptIndex));
  const taken = new Set(await takenReferences(scope, all));
  const [next, ...later] = all.filter((reference) => !taken.has(reference));
  if (!next) throw new Error(`line ${line.id} has too many attempts at a guide`);
  return [next, ...later.slice(0, count - 1)];
}

/** Short enough for a label; no other parcel has it. */
function referenceOf(parcel: readonly string[], attemptIndex: number): string {
  const digest = createHash('sha256').update(JSON.stringify([...parcel, attemptIndex]));
  return `TG${digest.digest('hex').slice(0, 14).toUpperCase()}`;
}
