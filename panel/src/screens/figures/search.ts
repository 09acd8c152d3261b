/** What the address of the screen holds. */
interface FiguresSearch {
  /** The last week by six hours; without it the last day by hour. */
  readonly periodo?: 'semana' | undefined;
}

export function figuresSearch(given: Readonly<Record<string, unknown>>): FiguresSearch {
  return given.periodo === 'semana' ? { periodo: 'semana' } : {};
}
