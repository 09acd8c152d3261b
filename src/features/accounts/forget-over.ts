import type { WriteHandle } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';
import { forgetInvitations } from './store-invitations.ts';

const KEEP_INVITATIONS_DAYS = 90;
/** Its link is good for a day; signing in has another one sent. */
const KEEP_UNCONFIRMED_DAYS = 7;

/** Sessions and links that ended, counts of former days, old invitations, registrations that nobody confirmed. */
export async function forgetOverPeople(handle: WriteHandle, now: Instant): Promise<void> {
  await store.forgetOver(handle, now, now.subtract({ hours: 24 }));
  await forgetInvitations(handle, now.subtract({ hours: 24 * KEEP_INVITATIONS_DAYS }));
  await store.forgetUnconfirmed(handle, now, now.subtract({ hours: 24 * KEEP_UNCONFIRMED_DAYS }));
}
