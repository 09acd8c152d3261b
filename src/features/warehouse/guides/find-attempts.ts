import type { ReadScope } from '../../../platform/db/database.ts';
import { fail } from '../../../platform/failure.ts';
import type { Attempt } from './guide-attempt.ts';
import * as attemptStore from './store-guide-attempts.ts';

/** @throws Failure not_found */
export async function attemptById(scope: ReadScope, id: string): Promise<Attempt> {
  const attempt = (await attemptStore.attemptsById(scope, [id])).get(id);
  if (!attempt)
    throw fail('not_found', { message: 'No existe un intento de guía con ese identificador.' });
  return attempt;
}

export function attemptsOf(scope: ReadScope, lineId: string): Promise<Attempt[]> {
  return attemptStore.attemptsOf(scope, lineId);
}
