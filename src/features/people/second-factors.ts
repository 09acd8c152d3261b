import type { Database, WriteHandle } from '../../platform/db/database.ts';
import type { Postbox } from '../../platform/mail.ts';
import { type Keyring, keyNumber } from '../../platform/seal.ts';
import { noteAct } from '../trail/index.ts';
import { secretsOf } from './auth-terms.ts';
import { factorsRemovedMail } from './mails.ts';
import type { Member } from './members.ts';
import * as memberStore from './store-members.ts';
import * as factorStore from './store-second-factors.ts';
import * as sessionStore from './store-sessions.ts';

/**
 * Removes the app with codes and the passkeys of a person who lost them, ends the sessions, and
 * tells the person. The password stays: the operator alone opens no account.
 */
export async function removeFactors(
  handle: WriteHandle,
  { postbox, publicUrl }: { postbox: Postbox; publicUrl: string },
  member: Member,
): Promise<void> {
  const { personId } = member;
  await factorStore.removeFactors(handle, personId);
  await sessionStore.endSessionsOf(handle, personId);
  for (const { organization_id: id } of await memberStore.membershipsOf(handle, personId))
    await noteAct(handle.within(id), 'operator', 'factors_removed', { subject: personId });
  await postbox.put(handle, factorsRemovedMail(publicUrl, member));
}

/**
 * Encrypts the second factors' secrets anew with the current key. Safe while an instance runs that has
 * both keys.
 */
export async function resealSecondFactors(
  database: Database,
  keyring: Keyring,
): Promise<{ resealed: number; unopened: number }> {
  const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto');
  const counts = { resealed: 0, unopened: 0 };
  const currentVersion = keyNumber(keyring.current);
  const key = {
    keys: new Map(secretsOf(keyring).map(({ version, value }) => [version, value])),
    currentVersion,
  };
  const isCurrent = (secret: string) => secret.startsWith(`$ba$${currentVersion}$`);
  const rows = await database.read(factorStore.secretsOfSecondFactors);
  for (const { id, secret } of rows.filter((row) => !isCurrent(row.secret))) {
    const text = await symmetricDecrypt({ key, data: secret }).catch(() => null);
    if (text === null) {
      counts.unopened++;
      continue;
    }
    const fresh = await symmetricEncrypt({ key, data: text });
    if (await database.write((handle) => factorStore.replaceSecret(handle, id, secret, fresh)))
      counts.resealed++;
  }
  return counts;
}
