import type { Offer } from '../../features/connections/index.ts';

interface EmptyList<Filters> {
  /** As the agent gave them; undefined = not given. */
  readonly filters: Filters;
  /** Whether there is a single row with these filters. */
  readonly isThereAny: (filters: Filters) => Promise<boolean>;
  /** The accounts of which the list may be asked. */
  readonly offers: readonly Offer[];
  /** What the list holds, in Spanish, in the plural and without article. */
  readonly rows: string;
}

/** Why a list came out empty, in a sentence: asks again without each filter for a single row. */
export async function emptyBecause<Filters extends object>(list: EmptyList<Filters>): Promise<string> {
  const { filters, isThereAny, rows } = list;
  const names = Object.keys(filters).filter((name) => filters[name as keyof Filters] !== undefined);
  const without = (name: string) => ({ ...filters, [name]: undefined });
  const none = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])) as Filters;
  if (names.length === 0 || !(await isThereAny(none))) return nothingThere(list);
  const alone: string[] = [];
  for (const name of names) if (await isThereAny(without(name))) alone.push(name);
  const [only] = alone;
  if (only === undefined)
    return `Hay ${rows}, pero ningún renglón cumple estos filtros ni quitando uno solo: ${names.join(', ')}.`;
  return alone.length === 1
    ? `Sin el filtro ${only} sí hay ${rows}: ninguno de los demás filtros deja la lista vacía.`
    : `Hay ${rows} si quitas uno de estos filtros, cualquiera: ${alone.join(', ')}.`;
}

function nothingThere({ offers, rows }: Pick<EmptyList<object>, 'offers' | 'rows'>): string {
  const connected = offers.filter(({ state }) => state !== 'disconnected');
  if (connected.length === 0)
    return `No hay ninguna cuenta conectada que dé ${rows}. Para conectar una, escribe a soporte.`;
  const offering = connected.filter(({ isOffered }) => isOffered);
  if (offering.length === 0) return `Ninguna de las cuentas conectadas ofrece ${rows}.`;
  if (offering.every(({ lastSyncAt }) => lastSyncAt === null))
    return `Todavía no hay ${rows}: no ha terminado la primera sincronización.`;
  return `Las cuentas conectadas no tienen ${rows}.`;
}
