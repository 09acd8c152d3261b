import type { WriteHandle } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';
import { forgetInvitations } from './store-invitations.ts';

const KEEP_INVITATIONS_DAYS = 90;

/** Sessions and links that ended, counts of former days, old invitations. */
export async function forgetOverPeople(handle: WriteHandle, now: Instant): Promise<void> {
  await store.forgetOver(handle, now, now.subtract({ hours: 24 }));
  await forgetInvitations(handle, now.subtract({ hours: 24 * KEEP_INVITATIONS_DAYS }));
}
