/** What the address of the screen holds. */
export interface UsageSearch {
  /** The last day by hour; without it the last hour by minute. */
  readonly periodo?: 'dia' | undefined;
  /** The hour of the last day that is shown by minute: its first instant, UTC. */
  readonly hora?: string | undefined;
  readonly ver?: Exclude<UsageView, 'admitted'> | undefined;
  /** The key or agent whose requests are shown alone. */
  readonly de?: string | undefined;
}

export const VIEWS = ['admitted', 'refused', 'table'] as const;
export type UsageView = (typeof VIEWS)[number];

export function usageSearch(given: Readonly<Record<string, unknown>>): UsageSearch {
  const { periodo, hora, ver, de } = given;
  return {
    ...(periodo === 'dia' && { periodo }),
    ...(periodo === 'dia' && isHour(hora) && { hora }),
    ...((ver === 'refused' || ver === 'table') && { ver }),
    ...(typeof de === 'string' && de !== '' && { de }),
  };
}

function isHour(given: unknown): given is string {
  return typeof given === 'string' && /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/.test(given);
}
