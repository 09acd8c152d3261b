/** What the panel says of returns, claims and requests to cancel that are open. */
export const openWords = {
  filter: 'Posventa',
  kinds: {
    open_return: 'Devolución',
    open_claim: 'Reclamo',
    cancellation_requested: 'Piden cancelar',
  },
  meanings: {
    open_return: 'El comprador pidió devolver productos o ya vienen de regreso.',
    open_claim: 'El comprador reclamó y todavía no se resuelve.',
    cancellation_requested: 'Todavía no se decide si la orden se cancela.',
  },
  attend: (tag: string, marketplace: string) =>
    tag === CANCELLATION_REQUESTED
      ? `Antes de enviarla, confírmalo en ${marketplace}.`
      : `Atiéndelo en ${marketplace}.`,
  orders: (count: string, one: boolean) =>
    one ? `1 orden tiene ${OPEN}` : `${count} órdenes tienen ${OPEN}`,
  atLeast: (count: string) => `Más de ${count} órdenes tienen ${OPEN}`,
  see: 'Ver órdenes',
} as const;

const OPEN = 'una devolución, un reclamo o una cancelación por resolver';

/** The tag of an order whose cancellation was requested. */
export const CANCELLATION_REQUESTED = 'cancellation_requested';
