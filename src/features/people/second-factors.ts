import type { Database } from '../../platform/db/database.ts';
import { type Keyring, keyNumber } from '../../platform/seal.ts';
import { secretsOf } from './auth-terms.ts';
import * as factorStore from './store-second-factors.ts';

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
