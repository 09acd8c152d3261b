import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Postbox } from '../../platform/mail.ts';
import type { Queue } from '../../platform/queue.ts';
import { type Keyring, seal, unseal } from '../../platform/seal.ts';
import { makeLink } from './links.ts';
import { resetMail } from './mails.ts';
import { sendConfirmation } from './sign-up.ts';
import * as store from './store.ts';

/** Whose password is to be chosen anew. The address is sealed: anybody may have typed it. */
export interface RecoveryJob {
  readonly ticket: string;
  readonly box: string;
}

interface RecoveryParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly postbox: Postbox;
  readonly publicUrl: string;
}

export const RECOVERY_QUEUE = 'recover';
const LINK_LIFE = { minutes: 30 };

/** Asks for a link by mail. Whether the address has an account is looked up by the job: the answer cannot tell. */
export async function askToRecover(
  handle: WriteHandle,
  { queue, keyring }: { queue: Queue; keyring: Keyring },
  email: string,
): Promise<void> {
  const ticket = newId();
  const data: RecoveryJob = { ticket, box: seal(keyring, placeOf(ticket), email) };
  await queue.enqueue(handle, RECOVERY_QUEUE, { data });
}

/** Mails a link to choose another password, or the confirmation of a registration that nobody confirmed. */
export async function sendRecovery(parts: RecoveryParts, { ticket, box }: RecoveryJob): Promise<void> {
  const email = unseal(parts.keyring, placeOf(ticket), box);
  await parts.database.write(async (handle) => {
    const person = await store.personByEmail(handle, email);
    if (!person) return;
    if (!person.email_verified)
      return sendConfirmation({ ...parts, publicUrl: () => parts.publicUrl }, handle, person);
    const link = { personId: person.id, at: parts.clock.now(), life: LINK_LIFE };
    const token = await makeLink(handle, 'reset-password', link);
    await parts.postbox.put(handle, resetMail(parts.publicUrl, person, token));
  });
}

function placeOf(ticket: string) {
  return { organizationId: 'house', subjectId: ticket, field: RECOVERY_QUEUE };
}
