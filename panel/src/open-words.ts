/** What the panel says of returns and claims that are open. */
export const openWords = {
  filter: 'Posventa',
  kinds: { open_return: 'Devolución', open_claim: 'Reclamo' },
  meanings: {
    open_return: 'El comprador pidió devolver productos o ya vienen de regreso.',
    open_claim: 'El comprador reclamó y todavía no se resuelve.',
  },
  attend: (marketplace: string) => `Atiéndelo en ${marketplace}.`,
  orders: (count: string, one: boolean) =>
    one
      ? '1 orden tiene una devolución o un reclamo abierto'
      : `${count} órdenes tienen una devolución o un reclamo abierto`,
  atLeast: (count: string) => `Más de ${count} órdenes tienen una devolución o un reclamo abierto`,
  see: 'Ver órdenes',
} as const;

/** The tag of an order whose cancellation was requested, and what the panel says of it. */
export const CANCELLATION_REQUESTED = 'cancellation_requested';
export const cancellationWords = {
  short: 'Piden cancelar',
  title: 'Cancelación solicitada',
  advice: (marketplace: string) =>
    `Todavía no se decide si la orden se cancela. Antes de enviarla, confírmalo en ${marketplace}.`,
} as const;
