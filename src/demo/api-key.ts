import type { App } from '../app/app.ts';
import { createKey, listKeys, revokeKey } from '../features/keys/index.ts';
import type { Organization } from '../features/organizations/index.ts';

const KEY_NAME = 'Demostración';

/** A new key; those of earlier runs end. */
export function renewKey({ database }: App, organization: Organization): Promise<string> {
  return database.write(async (handle) => {
    const scope = handle.within(organization.id);
    for (const { id, name } of await listKeys(scope))
      if (name === KEY_NAME) await revokeKey(handle, 'operator', id);
    return (await createKey(scope, 'operator', { name: KEY_NAME })).key;
  });
}
