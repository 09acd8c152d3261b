import { serviceName } from '../../carriers/registry.ts';
import { type Connection, connectedAccounts } from '../../features/connections/index.ts';
import {
  type GuideAccount,
  logisticsSettings,
  type Obstacle,
  obstacleOf,
  type PlannedGuide,
  planGuides,
} from '../../features/warehouse/index.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import { accountForGuides, accountObstacle } from './guide-account.ts';

/** What a batch would do, and with which account. */
interface DryRun {
  /** The carrier's name. */
  readonly carrier: string;
  /** Null = none can be used; each line says why. */
  readonly account: Pick<Connection, 'service' | 'accountId' | 'name' | 'state'> | null;
  /** Those to choose from. */
  readonly accounts: readonly Pick<Connection, 'accountId' | 'name' | 'state'>[];
  readonly serviceType: string;
  /** What every guide declares: the goods, and their key of the SAT's catalogue. */
  readonly goods: { readonly content: string; readonly productId: string };
  readonly lines: readonly PlannedGuide[];
}

/**
 * Says what a batch of these lines would ask the carrier for. Nothing is sent.
 * @throws Failure invalid_request, not_found
 */
export async function dryRun(
  scope: ReadScope,
  {
    lineIds,
    accountId,
  }: { readonly lineIds: readonly string[]; readonly accountId: string | null },
): Promise<DryRun> {
  const { carrier, guide } = await logisticsSettings(scope);
  const found = await accountOrFailure(scope, accountId);
  const account: GuideAccount =
    found instanceof Failure ? accountObstacle(found) : { connectionId: found.id };
  return {
    carrier: serviceName(carrier),
    account: found instanceof Failure ? null : found,
    accounts: await connectedAccounts(scope, carrier),
    serviceType: guide.service_type,
    goods: { content: guide.content, productId: guide.product_id },
    lines: await planGuides(scope, lineIds, account),
  };
}

/** What keeps every line from its guide, whatever the lines have; null = nothing. */
export async function guideObstacle(
  scope: ReadScope,
): Promise<Pick<Obstacle, 'code' | 'message'> | null> {
  const { origin } = await logisticsSettings(scope);
  if (origin === null) return obstacleOf('missing_origin');
  const found = await accountOrFailure(scope, null);
  return found instanceof Failure ? accountObstacle(found).obstacle : null;
}

function accountOrFailure(scope: ReadScope, accountId: string | null) {
  return accountForGuides(scope, accountId).catch((error: unknown) => {
    if (error instanceof Failure && error.code !== 'service_unavailable') return error;
    throw error;
  });
}
