import { randomBytes } from 'node:crypto';
import type { App } from '../app/app.ts';
import { StartError } from '../app/runtime.ts';
import type { Organization } from '../features/organizations/index.ts';
import { makeUser } from '../features/people/index.ts';
import { rememberedPassword, rememberPassword } from './folder.ts';

const OWNER = 'demo@tianguis.example';
const HERE = '127.0.0.1';

/** The demo's user. */
export interface Owner {
  readonly email: string;
  readonly password: string;
}

/** Keeps the password of an earlier run, and a later one that the user chose. */
export async function makeOwner(
  { database, people }: App,
  organization: Organization,
  dataDir: string,
): Promise<Owner> {
  const { email, hasPassword, token } = await database
    .within(organization.id)
    .write((scope) => makeUser(scope, { email: OWNER, role: 'owner' }));
  const known = rememberedPassword(dataDir);
  if (known !== null && hasPassword) return { email, password: known };
  const password = randomBytes(12).toString('base64url');
  if (!people) throw new StartError('No se pudo crear el usuario de la demostración.');
  await people.choosePassword({ token, password, address: HERE });
  rememberPassword(dataDir, password);
  return { email, password };
}
