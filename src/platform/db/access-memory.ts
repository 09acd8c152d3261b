import type { Notices } from './notices.ts';

/**
 * Remembers granted accesses; a change of plan, key, member or grant empties it in every process with
 * the change's commit.
 */
interface AccessMemory<Access> {
  /**
   * @returns what is remembered under the key, else what `load` finds; null is never remembered.
   */
  find(key: string, load: () => Promise<Access | null>): Promise<Access | null>;
}

const MOST_ENTRIES = 20_000;

/** @param organizationOf whose change makes it stale */
export function openAccessMemory<Access>(
  notices: Notices,
  organizationOf: (access: Access) => string,
): AccessMemory<Access> {
  const entries = new Map<string, Access>();
  // A look-up that began before a change must not be remembered after it.
  let generation = 0;

  function forget(organizationId?: string) {
    generation++;
    for (const [key, access] of entries)
      if (!organizationId || organizationOf(access) === organizationId) entries.delete(key);
  }
  notices.on('access', forget);
  notices.onGap(() => forget());

  async function look(key: string, load: () => Promise<Access | null>): Promise<Access | null> {
    const before = generation;
    const access = await load();
    if (!access || !notices.isUp() || generation !== before) return access;
    if (entries.size >= MOST_ENTRIES) entries.clear();
    entries.set(key, access);
    return access;
  }

  return {
    async find(key, load) {
      return (notices.isUp() && entries.get(key)) || look(key, load);
    },
  };
}
