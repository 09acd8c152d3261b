/** The months that are one click away. */
export const monthWords = { this: 'Este mes', last: 'Mes pasado' } as const;
