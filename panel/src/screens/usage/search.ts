/** What the address of the screen holds. */
export interface UsageSearch {
  /** The last day by hour; without it the last hour by minute. */
  readonly periodo?: 'dia' | undefined;
  readonly ver?: Exclude<UsageView, 'admitted'> | undefined;
  /** The key or agent whose requests are shown alone. */
  readonly de?: string | undefined;
}

export const VIEWS = ['admitted', 'refused', 'table'] as const;
export type UsageView = (typeof VIEWS)[number];

export function usageSearch(given: Readonly<Record<string, unknown>>): UsageSearch {
  const { periodo, ver, de } = given;
  return {
    ...(periodo === 'dia' && { periodo }),
    ...((ver === 'refused' || ver === 'table') && { ver }),
    ...(typeof de === 'string' && de !== '' && { de }),
  };
}
