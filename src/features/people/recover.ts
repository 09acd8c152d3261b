import { openPostbox } from '../../platform/mail.ts';
import { RECOVERY_MINUTES } from './lifetimes.ts';
import { makeLink } from './links.ts';
import { resetMail } from './mails.ts';
import { defineSealedJob, type SealedJobParts } from './sealed-job.ts';
import { sendConfirmation } from './sign-up.ts';
import * as personStore from './store-people.ts';

const LINK_LIFE = { minutes: RECOVERY_MINUTES };

/** Mails a link to choose another password, where the address has an account. */
export const recoveryJob = defineSealedJob('recover', sendRecovery);

/** Mails a link to choose another password, or the confirmation of an unconfirmed registration. */
async function sendRecovery(parts: SealedJobParts, email: string): Promise<void> {
  await parts.database.write(async (handle) => {
    const person = await personStore.personByEmail(handle, email);
    if (!person) return;
    if (!person.email_verified) return sendConfirmation(parts, handle, person);
    const link = { personId: person.id, at: parts.clock.now(), life: LINK_LIFE };
    const token = await makeLink(handle, 'reset-password', link);
    const postbox = openPostbox(parts.queue, parts.keyring);
    await postbox.put(handle, resetMail(parts.publicUrl, person, token));
  });
}
