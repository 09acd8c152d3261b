import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { defineJob } from '../../platform/job.ts';
import { openPostbox } from '../../platform/mail.ts';
import type { Queue } from '../../platform/queue.ts';
import { type Keyring, seal, unseal } from '../../platform/seal.ts';
import { RECOVERY_MINUTES } from './lifetimes.ts';
import { makeLink } from './links.ts';
import { resetMail } from './mails.ts';
import { sendConfirmation } from './sign-up.ts';
import * as personStore from './store-people.ts';

interface RecoveryParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly queue: Queue;
  readonly publicUrl: string;
}

/** Mails a link to choose another password. The address is sealed: it may be anyone's. */
export const recoveryJob = defineJob({
  name: 'recover',
  policy: 'standard',
  retries: 14,
  concurrency: 2,
  payload: z.object({ ticket: z.string(), box: z.string() }),
  async run(parts: RecoveryParts, { ticket, box }) {
    await sendRecovery(parts, unseal(parts.keyring, placeOf(ticket), box));
    return null;
  },
});

const LINK_LIFE = { minutes: RECOVERY_MINUTES };

/**
 * Requests a link by mail. The job looks up whether the address has an account, so the answer
 * cannot reveal it.
 */
export async function askToRecover(
  handle: WriteHandle,
  { queue, keyring }: { queue: Queue; keyring: Keyring },
  email: string,
): Promise<void> {
  const ticket = newId();
  const box = seal(keyring, placeOf(ticket), email);
  await queue.enqueue(handle, recoveryJob, { data: { ticket, box } });
}

/** Mails a link to choose another password, or the confirmation of an unconfirmed registration. */
async function sendRecovery(parts: RecoveryParts, email: string): Promise<void> {
  const { queue, keyring } = parts;
  const postbox = openPostbox(queue, keyring);
  await parts.database.write(async (handle) => {
    const person = await personStore.personByEmail(handle, email);
    if (!person) return;
    if (!person.email_verified)
      return sendConfirmation(
        { ...parts, postbox, publicUrl: () => parts.publicUrl },
        handle,
        person,
      );
    const link = { personId: person.id, at: parts.clock.now(), life: LINK_LIFE };
    const token = await makeLink(handle, 'reset-password', link);
    await postbox.put(handle, resetMail(parts.publicUrl, person, token));
  });
}

function placeOf(ticket: string) {
  return { organizationId: 'house', subjectId: ticket, field: 'recover' };
}
