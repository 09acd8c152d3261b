/** Of days from 2000 to 2100: those beside them are typing mistakes, and some are no instant. */
const DAY = /^(?:20\d{2}|2100)-\d{2}-\d{2}$/;

/** Whether it is a day of the calendar, AAAA-MM-DD, as an address has it. */
export function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !DAY.test(value)) return false;
  const at = Date.parse(`${value}T00:00:00Z`);
  // Some engines read the 31st of February as a day of March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);
}

/** The values of a parameter, by commas; one within a value follows a backslash, as in the API. */
export function listOf(text: string | undefined): string[] {
  const values = text?.match(/(?:\\.|[^\\,])+/gsu) ?? [];
  return values.map((value) => value.replace(/\\(.)/gsu, '$1'));
}

/** The same of values. */
export function listText(values: readonly unknown[]): string {
  return values.map((value) => String(value).replace(/[\\,]/g, '\\$&')).join(',');
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
