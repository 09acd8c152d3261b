import { listenersWith } from '../app/services.ts';
import type { Marketplace } from '../connectors/contract.ts';
import { forgetConnection } from '../exchange/connect/disconnect.ts';
import {
  type ConnectedAccount,
  type ForgettingParts,
  forgetAccount,
  forgetBuyer,
} from '../exchange/webhooks/privacy.ts';
import { close, erase, erasureOf, quiet } from '../features/erasure/index.ts';
import { revokeKey } from '../features/keys/index.ts';
import { announceOrders } from '../features/order-events/index.ts';
import { findOrganization } from '../features/organizations/index.ts';
import { removeMember } from '../features/people/index.ts';
import { isKnown, keepRemoval, type Removal } from '../features/removals/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { Failure } from '../platform/failure.ts';
import { eraseAccount } from './erase-person.ts';

export interface Repeated {
  /** Those that the restored database did not have. */
  readonly repeated: number;
  /** A person must do these, such as removing the last owner. */
  readonly refused: readonly (Pick<Removal, 'kind' | 'organization_id' | 'subject'> & {
    readonly reason: string;
  })[];
}

/**
 * Does again, in a restored database, what was erased, forgotten or revoked after its backup. A
 * removal that was repeated is known from then on, so a second call goes on where one was cut
 * short.
 */
export async function repeatRemovals(
  database: Database,
  clock: Clock,
  removals: readonly Removal[],
): Promise<Repeated> {
  const parts = { database, orderListeners: listenersWith([]), announce: announceOrders };
  const refused: Repeated['refused'][number][] = [];
  let repeated = 0;
  for (const removal of removals) {
    if (await database.read((handle) => isKnown(handle, removal))) continue;
    const refusal = await repeat(parts, clock, removal).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.status >= 500) throw error;
      return error;
    });
    // What came after the backup is not there: nothing is left to do.
    if (refusal && refusal.code !== 'not_found') {
      const { kind, organization_id, subject } = removal;
      refused.push({ kind, organization_id, subject, reason: refusal.message });
      continue;
    }
    await database.write((handle) => keepRemoval(handle, removal));
    repeated++;
  }
  return { repeated, refused };
}

async function repeat(parts: ForgettingParts, clock: Clock, removal: Removal): Promise<null> {
  const { database } = parts;
  const { kind, organization_id: id } = removal;
  if (kind === 'organization') await eraseAgain(database, clock, id);
  else if (kind === 'person')
    await eraseAccount(database, clock, removal.subject.person_id, async () => {});
  else if (await database.read((handle) => findOrganization(handle, id)))
    await repeatWithin(parts, removal);
  return null;
}

async function eraseAgain(database: Database, clock: Clock, id: string): Promise<void> {
  if (!(await erasureOf(database, id))) {
    await quiet(database, clock, id);
    await close(database, clock, id, []);
  }
  await erase(database, clock, id);
}

async function repeatWithin(
  parts: ForgettingParts,
  { kind, organization_id: id, subject }: Exclude<Removal, { kind: 'organization' | 'person' }>,
): Promise<void> {
  const { database } = parts;
  const organization = database.within(id);
  switch (kind) {
    case 'api_key':
      await database.write((handle) => revokeKey(handle, 'operator', subject.id));
      return;
    case 'member':
      await organization.write((scope) => removeMember(scope, 'operator', subject.person_id));
      return;
    case 'connection':
      return forgetConnection(parts, id, subject.id);
    case 'account':
      await forgetAccount(parts, accountOf(id, subject));
      return;
    case 'buyers':
      await forgetBuyer(parts, accountOf(id, subject), subject.order_ids);
  }
}

function accountOf(
  organizationId: string,
  subject: Extract<Removal, { kind: 'account' }>['subject'],
): ConnectedAccount {
  const { connection_id: id, marketplace, account_id: accountId } = subject;
  return { id, organizationId, marketplace: marketplace as Marketplace, accountId };
}
