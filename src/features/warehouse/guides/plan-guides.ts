import type { GuideRequest } from '../../../carriers/contract.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { isId } from '../../../platform/ids.ts';
import type { Line } from '../lines/line.ts';
import { noSuchLine } from '../lines/list-lines.ts';
import { linesById } from '../lines/store-lines.ts';
import type { GuideAccount } from './attempt-types.ts';
import { requireBatchSize } from './batches.ts';
import { requestOf } from './begin-guide-attempt.ts';
import { type Obstacle, obstacleOf } from './guide-obstacle.ts';
import { aliveAttempt } from './store-guide-attempts.ts';

/**
 * What a batch would do with a line. `ready`: it would ask the carrier for a guide. `has_guide`: it
 * has one. `waiting`: a former attempt is not settled. `blocked`: something is missing.
 */
type Readiness = 'ready' | 'has_guide' | 'waiting' | 'blocked';

export interface PlannedGuide {
  readonly line: Line;
  readonly readiness: Readiness;
  /** All that is missing; empty = ready. */
  readonly obstacles: readonly Obstacle[];
  /** What would be sent; null = nothing. */
  readonly request: GuideRequest | null;
}

/**
 * A dry run: what a batch of these lines would do, without asking the carrier or changing anything.
 * In the order of `lineIds`.
 * @throws Failure invalid_request, not_found
 */
export async function planGuides(
  scope: ReadScope,
  lineIds: readonly string[],
  account: GuideAccount,
): Promise<PlannedGuide[]> {
  requireBatchSize(lineIds);
  const lines = lineIds.every(isId) ? await linesById(scope, lineIds) : [];
  const byId = new Map(lines.map((line) => [line.id, line]));
  const planned: PlannedGuide[] = [];
  for (const id of lineIds) {
    const line = byId.get(id);
    if (!line) throw noSuchLine();
    planned.push(await planOne(scope, line, account));
  }
  return planned;
}

const NO_REFERENCE = '';
const HAS_GUIDE = obstacleOf('already_generated');
const WAITING = obstacleOf('guide_outcome_unknown');

async function planOne(scope: ReadScope, line: Line, account: GuideAccount): Promise<PlannedGuide> {
  const alive = await aliveAttempt(scope, line.id);
  if (alive?.state === 'ok')
    return { line, readiness: 'has_guide', obstacles: [HAS_GUIDE], request: null };
  if (alive) return { line, readiness: 'waiting', obstacles: [WAITING], request: null };
  const batch = { overrides: {} };
  const written = await requestOf(scope, line, batch, NO_REFERENCE, account);
  return written.ok
    ? { line, readiness: 'ready', obstacles: [], request: written.request }
    : { line, readiness: 'blocked', obstacles: written.obstacles, request: null };
}
