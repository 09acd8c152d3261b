import { hash } from 'node:crypto';
import { z } from 'zod';
import { lockOrganization } from '../../features/organizations/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';

const VERSION_LENGTH = 22;
const LONGEST_GIVEN = 100;

/** Absent where a page of the former release asks. */
export const formVersionField = z
  .string()
  .max(LONGEST_GIVEN)
  .optional()
  .meta({ description: 'La versión que se leyó.', examples: ['xJ2mY0cVw3fQkB1n8sPzTg'] });

/** Of what a form edits: equal fields have the same version. */
export function formVersion(fields: object | null): string {
  const sorted = Object.entries(fields ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  const content = JSON.stringify(sorted);
  return hash('sha256', content, 'base64url').slice(0, VERSION_LENGTH);
}

/**
 * Keeps a form from erasing what a colleague saved after it was opened. No other form of the
 * organisation is saved until the transaction ends.
 *
 * @throws Failure changed_meanwhile
 */
export async function refuseOldForm(
  scope: WriteScope,
  version: string | undefined,
  readFields: () => Promise<object | null>,
): Promise<void> {
  await lockOrganization(scope);
  if (version === undefined) return;
  if (version !== formVersion(await readFields())) throw fail('changed_meanwhile');
}
