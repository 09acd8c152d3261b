/** What the address of the screen holds. */
export interface ConnectionSearch {
  /** The service whose form is open. */
  readonly conectar?: string | undefined;
  /** The account that is connected again; absent = another one is. */
  readonly cuenta?: string | undefined;
  /** The service whose consent has just been given. */
  readonly conectada?: string | undefined;
  /** The connection whose orders are compared, and the job that does it. */
  readonly revisar?: string | undefined;
  readonly trabajo?: string | undefined;
}

export function connectionSearch(given: Readonly<Record<string, unknown>>): ConnectionSearch {
  const textOf = (value: unknown) =>
    typeof value === 'string' && value !== '' ? value : undefined;
  return {
    conectar: textOf(given.conectar),
    cuenta: textOf(given.cuenta),
    conectada: textOf(given.conectada),
    revisar: textOf(given.revisar),
    trabajo: textOf(given.trabajo),
  };
}
