import type { Offer } from '../../features/connections/index.ts';
import { isGiven, leavingOut, publicName } from '../../platform/input-fields.ts';
import { askForHelp, type Operator } from '../../platform/operator.ts';

interface EmptyList<Filters> {
  /** As the agent gave them. */
  readonly filters: Filters;
  /** Whether there is a single row with these filters. */
  readonly isThereAny: (filters: Filters) => Promise<boolean>;
  /** The accounts of which the list may be asked. */
  readonly offers: readonly Offer[];
  /** What the list holds, in Spanish, in the plural and without article. */
  readonly rows: string;
  /** The role that connects accounts. */
  readonly operator: Operator;
}

/** Why a list came out empty, in a sentence: asks again without each filter for a single row. */
export async function emptyBecause<Filters extends object>(
  list: EmptyList<Filters>,
): Promise<string> {
  const { filters, isThereAny, rows } = list;
  const given = (Object.keys(filters) as (keyof Filters & string)[]).filter((name) =>
    isGiven(filters[name]),
  );
  if (given.length === 0 || !(await isThereAny(leavingOut(filters)))) return nothingThere(list);
  const alone: string[] = [];
  for (const name of given)
    if (await isThereAny(leavingOut(filters, name))) alone.push(publicName(name));
  const [only] = alone;
  if (only === undefined)
    return `Hay ${rows}, pero ningún renglón cumple estos filtros ni quitando uno solo: ${given.map(publicName).join(', ')}.`;
  return alone.length === 1
    ? `Sin el filtro ${only} sí hay ${rows}: ninguno de los demás filtros deja la lista vacía.`
    : `Hay ${rows} si quitas uno de estos filtros, cualquiera: ${alone.join(', ')}.`;
}

function nothingThere({
  offers,
  rows,
  operator,
}: Omit<EmptyList<object>, 'filters' | 'isThereAny'>): string {
  const connected = offers.filter(({ state }) => state !== 'disconnected');
  if (connected.length === 0)
    return `No hay ninguna cuenta conectada que dé ${rows}. Para conectar una, ${askForHelp(operator)}.`;
  const offering = connected.filter(({ isOffered }) => isOffered);
  if (offering.length === 0) return `Ninguna de las cuentas conectadas ofrece ${rows}.`;
  if (offering.every(({ lastSyncAt }) => lastSyncAt === null))
    return `Todavía no hay ${rows}: no ha terminado la primera sincronización.`;
  return `Las cuentas conectadas no tienen ${rows}.`;
}
