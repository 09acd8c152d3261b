import type { Notices } from './notices.ts';

/** Remembers who was let in; a change of plan, key, member or grant empties it in every process with the change's commit. */
export interface AccessMemory<Access> {
  /** @returns what is remembered, else what `load` finds; null is never remembered. */
  find(key: string): Promise<Access | null>;
}

const MOST_ENTRIES = 20_000;

/**
 * @param load looks one up in the database
 * @param organizationOf whose change makes it stale
 */
export function openAccessMemory<Access>(
  notices: Notices,
  load: (key: string) => Promise<Access | null>,
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

  async function look(key: string): Promise<Access | null> {
    const before = generation;
    const access = await load(key);
    if (!access || !notices.isUp() || generation !== before) return access;
    if (entries.size >= MOST_ENTRIES) entries.clear();
    entries.set(key, access);
    return access;
  }

  return {
    async find(key) {
      return (notices.isUp() && entries.get(key)) || look(key);
    },
  };
}
