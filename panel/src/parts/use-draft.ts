import { useState } from 'react';
import { organizationId } from '../client.ts';

type Values = Readonly<Record<string, string>>;

/**
 * What is typed into a form over what the server said, kept in this tab until it is sent: an ended
 * session or a lost network costs nothing. Never for secrets.
 */
export function useDraft<Known extends Values>(name: string, known: Known) {
  const key = `tianguis:${organizationId}:${name}`;
  const [typed, setTyped] = useState<Partial<Known>>(() => stored(key));
  const keep = (next: Partial<Known>) => {
    sessionStorage.setItem(key, JSON.stringify(next));
    setTyped(next);
  };
  const put = (some: Partial<Known>) => keep({ ...stored(key), ...some });
  const set = (field: keyof Known, value: string) => put({ [field]: value } as Partial<Known>);
  const clear = () => keep({});
  const values: Known = { ...known, ...typed };
  /** These values are saved: what was typed since then stays. */
  const settle = () => {
    const now: Partial<Known> = stored(key);
    const later = Object.entries(now).filter(([field, value]) => value !== values[field]);
    keep(Object.fromEntries(later) as Partial<Known>);
  };
  const isChanged = Object.keys(typed).some((field) => typed[field] !== known[field]);
  return { values, set, put, clear, settle, isChanged, typed };
}

function stored<Known>(key: string): Partial<Known> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}');
  } catch {
    return {};
  }
}
