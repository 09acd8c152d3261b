/** Every sentence of Almacén. */
import type { Output } from '../../client.ts';
import type { Tone } from '../../parts/StatusBadge.tsx';

type Line = Output<'lines.get'>['data'];

export const lineStates: Readonly<Record<Line['state'], string>> = {
  staged: 'En preparación',
  held: 'En espera',
  in_transit: 'En camino',
  transferred: 'Transferida a envíos',
  cancelled: 'Cancelada',
  shipped_elsewhere: 'Enviada por otro medio',
};

export const LINE_TONES: Readonly<Record<Line['state'], Tone>> = {
  staged: 'warn',
  held: 'idle',
  in_transit: 'busy',
  transferred: 'good',
  cancelled: 'bad',
  shipped_elsewhere: 'idle',
};

export const attemptStates: Readonly<Record<Line['attempts'][number]['state'], string>> = {
  queued: 'En cola',
  sent: 'Enviado a la paquetería',
  ok: 'Guía generada',
  failed: 'No se generó',
  unknown: 'Sin respuesta de la paquetería',
};

export const ATTEMPT_TONES: Readonly<Record<Line['attempts'][number]['state'], Tone>> = {
  queued: 'idle',
  sent: 'busy',
  ok: 'good',
  failed: 'bad',
  unknown: 'warn',
};

/** What is in the record of a line. */
export const actionNames: Readonly<Record<string, string>> = {
  stage: 'Entró a preparación',
  orders_made_staged: 'Sus órdenes volvieron a estar listas',
  orders_made_held: 'Sus órdenes dejaron de estar listas',
  orders_made_cancelled: 'Se cancelaron sus órdenes',
  orders_made_shipped_elsewhere: 'El marketplace la envía o la da por enviada',
  orders_made_in_transit: 'Sus órdenes volvieron, ya en camino',
  order_left_pack: 'El marketplace pasó una orden a otro paquete',
  set_packages: 'Cambió el número de paquetes',
  set_destination: 'Cambió el destino',
  set_tracking: 'Cambió el número de rastreo',
  transfer: 'Transfirió a envíos',
  undo_transfer: 'Regresó a preparación',
  request_in_transit: 'Pidió «En camino» a la paquetería',
  set_in_transit: 'Marcó «En camino»',
  guide_requested: 'Pidió la guía',
  guide_generated: 'Se generó la guía',
  guide_blocked: 'No se pidió la guía',
  guide_failed: 'La paquetería rechazó la guía',
  guide_unknown: 'La paquetería no contestó',
  guide_late_answer: 'La paquetería contestó tarde',
  settle_attempt: 'Resolvió un intento sin respuesta',
  cancel_guide: 'Canceló la guía',
};

/** The parts of the work, as the address names them. */
export const tabs = {
  'sin-guia': 'Sin guía',
  'con-guia': 'Con guía',
  'sin-respuesta': 'Sin respuesta',
  'en-espera': 'En espera',
  'en-camino': 'En camino',
  transferidas: 'Transferidas',
  otras: 'Canceladas y otras',
} as const;

/** Of the lines without a guide, as the address names them. */
export const readiness = {
  todas: 'Todas',
  listas: 'Listas para generar guía',
  incompletas: 'Les falta algo',
} as const;

export const readinessWords = {
  label: 'Qué líneas sin guía',
  counted: (word: string, count: string, hasMore: boolean) =>
    hasMore ? `${word} (más de ${count})` : `${word} (${count})`,
  noneReady: 'Ninguna línea está lista para generar su guía.',
  noneLacking: 'A ninguna línea sin guía le falta nada.',
  obstacle: 'Por ahora no se puede generar ninguna guía.',
  severalAccounts:
    'Tienes varias cuentas de la paquetería: elige con cuál al revisar las guías, antes de generarlas.',
  settings: 'Ir a Ajustes',
  connections: 'Ir a Conexiones',
} as const;

export const warehouseWords = {
  title: 'Almacén',
  tabs: 'Parte del trabajo',
  scan: 'Escanea o escribe un número',
  scanHint: 'De orden, paquete de órdenes, guía o rastreo',
  search: 'Buscar',
  noSuch: 'No hay ninguna línea con el número',
  notLookedUp: (numbers: readonly string[]) =>
    numbers.length === 1
      ? `No se buscó ${numbers[0]}`
      : `No se buscaron ${numbers.length} números: ${numbers.join(', ')}`,
  several: (count: number) => `${count} líneas tienen ese número`,
  seeLine: 'Ver línea',
  orders: 'Orden',
  waiting: 'Espera desde',
  left: 'Transferida',
  marketplace: 'Marketplace',
  state: 'Estado',
  goods: 'Contenido',
  packages: 'Paquetes',
  place: 'Destino',
  guide: 'Guía',
  seeShipment: 'Ver en Envíos',
  noPlace: 'Sin dirección',
  phone: (number: string) => `Tel. ${number}`,
  noGuide: 'Sin guía',
  ownFleet: 'Flota propia',
  andMore: (count: number) => `y ${count} más`,
  pieces: (quantity: number, title: string) => (quantity > 1 ? `${quantity} × ${title}` : title),
  count: (count: string, more: boolean) => {
    if (more) return `Más de ${count} líneas`;
    return count === '1' ? '1 línea' : `${count} líneas`;
  },
  empty: 'Aquí verás los paquetes por preparar: entran solos con cada orden pagada.',
  allSettled: 'Ningún intento de guía espera respuesta: no hay nada por resolver.',
  emptyTab: 'No hay líneas en esta parte del trabajo.',
  seeOrders: 'Ver órdenes',
  seeAll: 'Ver las que están sin guía',
  line: (orders: string) => `Línea de ${orders}`,
  noOrders: 'Línea sin órdenes',
  contents: 'Qué lleva',
  tracking: 'Rastreo',
  byHand: 'escrito a mano',
  attempts: 'Intentos de guía',
  noAttempts: 'Todavía no se pide una guía para esta línea.',
  reference: 'Referencia',
  cancelled: 'Cancelada',
  record: 'Historial',
  noRecord: 'Nadie ha cambiado esta línea.',
  itself: 'Tianguis',
  transfer: 'Transferir a envíos',
  transferred: 'La línea se transfirió a envíos.',
  undo: 'Regresar a preparación',
  undone: 'La línea regresó a preparación.',
  removeNumber: 'Quitar el número de rastreo',
  numberRemoved: 'Se quitó el número de rastreo.',
} as const;

export const formWords = {
  edit: 'Editar',
  parcel: 'Paquete',
  destination: 'Destino',
  tracking: 'Número de rastreo de otro medio',
  trackingHint: 'Si la guía se hizo fuera de Tianguis. Déjalo vacío si la generarás aquí.',
  carrier: 'Paquetería o mensajería',
  save: 'Guardar cambios',
  changed:
    'Otra persona cambió esta línea mientras la editabas. Lo que escribiste sigue aquí; junto a cada dato distinto está lo que quedó guardado.',
  packagesFault: 'Escribe un número entero, como 1.',
  /** «El campo destination.zipcode debe tener…»: the field is beside it. */
  fault: (message: string) => message.replace(/^El campo \S+ /, 'Este dato '),
} as const;

/** What a line lacks for its guide. */
export const lackWords = {
  short: {
    missing_weight: 'Falta peso',
    missing_dimensions: 'Faltan medidas',
    guide_outcome_unknown: 'Intento sin respuesta',
  },
  before: 'Todavía no se puede generar la guía:',
  of: (isWeight: boolean, isSize: boolean) => {
    if (isWeight && isSize) return 'Faltan el peso y las medidas de';
    return isWeight ? 'Falta el peso de' : 'Faltan las medidas de';
  },
  nothing: 'Sus órdenes no tienen artículos por enviar.',
  address: 'Falta la dirección de destino. Escríbela más abajo.',
  write: 'Escribir en Inventario',
} as const;

/** Read from a metre. */
export const scanWords = {
  ready: 'Lista',
  notReady: 'No está lista',
  added: 'Agregada a la selección.',
  again: 'Ya está en la selección',
  since: 'Desde',
  notAdded: (most: number) =>
    `No se agregó: la selección ya tiene ${most} líneas, las que lleva un lote.`,
  guide: 'Guía',
  notLeaving: 'Ya tiene guía. Falta transferirla a envíos.',
  faults: {
    missing_weight: 'Falta peso',
    missing_dimensions: 'Faltan medidas',
    missing_address: 'Falta dirección',
    missing_origin: 'Falta el domicilio de recolección',
    carrier_not_connected: 'Falta conectar la paquetería',
    carrier_account_ambiguous: 'Falta elegir cuenta',
    listing_unread: 'La paquetería no contestó',
    guide_outcome_unknown: 'Intento sin respuesta',
  } as Readonly<Record<string, string>>,
} as const;
