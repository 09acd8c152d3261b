interface Period {
  readonly words: string;
  /** Both included. */
  readonly days: (today: Temporal.PlainDate) => readonly [Temporal.PlainDate, Temporal.PlainDate];
}

/** Periods that people ask for by name, so that they type no days. */
const PERIODS: Readonly<Record<string, Period>> = {
  'este-mes': { words: 'Este mes', days: (today) => [today.with({ day: 1 }), today] },
  'mes-pasado': {
    words: 'Mes pasado',
    days: (today) => {
      const first = today.with({ day: 1 });
      return [first.subtract({ months: 1 }), first.subtract({ days: 1 })];
    },
  },
  '7-dias': { words: 'Últimos 7 días', days: (today) => [today.subtract({ days: 6 }), today] },
  '30-dias': { words: 'Últimos 30 días', days: (today) => [today.subtract({ days: 29 }), today] },
};

/** Options of a form; the first one means the days that were typed, if any. */
export const PERIOD_OPTIONS: readonly (readonly [string, string])[] = [
  ['', 'Todo, o los días que escribas abajo'],
  ...Object.entries(PERIODS).map(([name, { words }]) => [name, words] as const),
];

/**
 * The days of a named period, as `2026-11-27`.
 * @returns null for a name that is none
 */
export function daysOfPeriod(name: string, today: Temporal.PlainDate) {
  if (!Object.hasOwn(PERIODS, name)) return null;
  const [from, to] = (PERIODS[name] as Period).days(today);
  return { from: from.toString(), to: to.toString() };
}
