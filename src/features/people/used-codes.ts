/** One-time codes that were used: each counts once. */
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { sha256 } from '../../platform/ids.ts';
import * as factorStore from './store-second-factors.ts';

interface CodeParts {
  readonly database: Database;
  readonly clock: Clock;
}

/** A code is valid for its own half minute and those beside it. */
const CODE_LIFE_SECONDS = 120;

/** @returns false for a code that was used before */
export function useCode(parts: CodeParts, personId: string, code: string): Promise<boolean> {
  const at = parts.clock.now();
  const use = { ...usable(parts, personId, code), at };
  return parts.database.write((handle) => factorStore.useCode(handle, use));
}

/** Whether `useCode` would refuse it; uses nothing. */
export function isCodeUsed(parts: CodeParts, personId: string, code: string): Promise<boolean> {
  return parts.database.read((handle) =>
    factorStore.isCodeUsed(handle, usable(parts, personId, code)),
  );
}

function usable({ clock }: CodeParts, personId: string, code: string): factorStore.UsableCode {
  const goodFor = clock.now().subtract({ seconds: CODE_LIFE_SECONDS });
  return { personId, hash: sha256(`${personId} ${code}`), goodFor };
}
