const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether it is a day, AAAA-MM-DD, as an address has it. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value));
}

/** The parameters of an address that a screen knows; `desde` and `hasta` only where they are days. */
export function fromAddress<Name extends string>(
  given: Record<string, unknown>,
  names: readonly Name[],
): { readonly [Known in Name]?: string } {
  const entries = names.flatMap((name) => {
    const value = given[name];
    if (typeof value !== 'string' || value === '') return [];
    if ((name === 'desde' || name === 'hasta') && !isDay(value)) return [];
    return [[name, value]];
  });
  return Object.fromEntries(entries);
}
