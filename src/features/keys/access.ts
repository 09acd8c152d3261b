import { isApiKey } from '../../platform/api-key.ts';
import type { Clock } from '../../platform/clock.ts';
import { openAccessMemory } from '../../platform/db/access-memory.ts';
import type { Database, Handle } from '../../platform/db/database.ts';
import type { Notices } from '../../platform/db/notices.ts';
import { sha256 } from '../../platform/ids.ts';
import { findOrganization, type Organization } from '../organizations/index.ts';
import type { Key } from './key.ts';
import { findKey } from './keys.ts';
import { touch } from './store.ts';

/**
 * A key's caller: the organisation and the key. The key may be revoked or expired: the caller must
 * check.
 */
export interface Access {
  readonly key: Key;
  readonly organization: Organization;
}

/**
 * Caches keys in memory; a change of plan or key empties the cache in every process with the
 * change's commit.
 */
export interface AccessCache {
  /** @returns null when the text is not a key of this instance. */
  find(keyText: string): Promise<Access | null>;
  /**
   * Notes that a key was used, to be stored in batches.
   * @returns when it was used before, epoch milliseconds
   */
  markUsed(key: Key): number | null;
  close(): Promise<void>;
}

const MOST_REMEMBERED = 20_000;
const FLUSH_MS = 2_000;

export function openAccessCache(
  database: Database,
  notices: Notices,
  clock: Clock,
  onError: (error: unknown) => void,
): AccessCache {
  const memory = openAccessMemory<Access>(notices, ({ organization }) => organization.id);
  const used = new Map<string, number>();
  /** Epoch milliseconds. */
  const lastUses = new Map<string, number>();

  async function flush() {
    if (used.size === 0) return;
    const taken = [...used];
    used.clear();
    const batch = taken.map(([id, millis]) => ({
      id,
      at: Temporal.Instant.fromEpochMilliseconds(millis),
    }));
    try {
      await database.write((handle) => touch(handle, batch));
    } catch (error) {
      for (const [id, millis] of taken) used.set(id, Math.max(millis, used.get(id) ?? 0));
      throw error;
    }
  }
  const stop = clock.every(FLUSH_MS, () => void flush().catch(onError));

  return {
    async find(keyText) {
      if (!isApiKey(keyText)) return null;
      const hash = sha256(keyText);
      return memory.find(hash, () => database.read((handle) => findAccess(handle, hash)));
    },
    markUsed(key) {
      const before = lastUses.get(key.id) ?? key.lastUsedAt?.epochMilliseconds ?? null;
      const now = clock.millis();
      if (lastUses.size >= MOST_REMEMBERED) lastUses.clear();
      lastUses.set(key.id, now);
      used.set(key.id, now);
      return before;
    },
    async close() {
      stop();
      await flush().catch(onError);
    },
  };
}

async function findAccess(handle: Handle, hash: string): Promise<Access | null> {
  const key = await findKey(handle, hash);
  const organization = key && (await findOrganization(handle, key.organizationId));
  return key && organization ? { key, organization } : null;
}
