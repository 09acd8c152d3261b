/** Words of ours as a list in SQL. */
export function listed(kinds: readonly string[]): string {
  return kinds.map((kind) => `'${kind}'`).join(', ');
}
