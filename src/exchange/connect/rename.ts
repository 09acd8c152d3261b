import { findService } from '../../carriers/registry.ts';
import { connectionById, giveName } from '../../features/connections/index.ts';
import { noteAct, type PersonDoing } from '../../features/trail/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';

/** Gives an account, a disconnected one too, another name here. @throws Failure not_found, invalid_request */
export async function renameAccount(
  scope: WriteScope,
  connectionId: string,
  name: string,
  by: PersonDoing,
): Promise<void> {
  const connection = await connectionById(scope, connectionId);
  if (!connection) throw fail('not_found');
  if (!(await giveName(scope, connectionId, name))) return;
  await noteAct(scope, by, 'connection_renamed', {
    subject: connectionId,
    label: `${findService(connection.service)?.name}: ${name.trim()}`,
  });
}
