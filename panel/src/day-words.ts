/** Sentences of the filters of days. */
export const dayWords = {
  pattern: 'dd/mm/aaaa',
  choose: (label: string) => `Elegir en el calendario: ${label}`,
  unread: 'Escribe el día así: 20/11/2026.',
  absent: 'Ese día no existe en el calendario.',
  missing: 'Escribe un día.',
  least: (day: string) => `Debe ser el ${day} o después.`,
  most: (day: string) => `Debe ser el ${day} o antes.`,
} as const;
