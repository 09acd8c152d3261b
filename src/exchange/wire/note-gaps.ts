import { raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';

/**
 * Raises an alert for what the account does not give us, or resolves it where it gives everything.
 * @param subject the connection's id, with `:` and the part of it that the gaps concern
 * @returns whether an alert was resolved
 */
export async function noteGaps(
  scope: WriteScope,
  subject: string,
  gaps: readonly string[],
): Promise<boolean> {
  const kind = 'connection_gaps';
  if (gaps.length === 0) return resolveAlert(scope, kind, subject);
  await raiseAlert(scope, { kind, subject, message: gaps.join(' ') });
  return false;
}
