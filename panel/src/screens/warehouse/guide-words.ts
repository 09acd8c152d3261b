/** Sentences about guides: the dry run, the batch, labels and attempts. */
import type { Output } from '../../client.ts';
import type { Tone } from '../../parts/StatusBadge.tsx';
import { guideValues } from '../settings/words.ts';

type Outcome = NonNullable<Output<'guides.batch'>['results'][number]['outcome']>;

export const outcomes: Readonly<Record<Outcome, string>> = {
  generated: 'Guía generada',
  already_generated: 'Ya tenía guía',
  blocked: 'No se pidió',
  failed: 'No se generó',
  unknown: 'Sin respuesta de la paquetería',
};

export const OUTCOME_TONES: Readonly<Record<Outcome, Tone>> = {
  generated: 'good',
  already_generated: 'good',
  blocked: 'warn',
  failed: 'bad',
  unknown: 'warn',
};

const guides = (count: number) => (count === 1 ? '1 guía' : `${count} guías`);
const lines = (count: number) => (count === 1 ? '1 línea' : `${count} líneas`);
/** How many lines of a batch ended so. */
interface Counts {
  readonly made: number;
  /** They had a guide before. */
  readonly had: number;
  readonly unknown: number;
  readonly total: number;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const madeOf = (made: number, total: number) => {
  if (made === 0) return 'No se generó ninguna guía';
  if (made === total) return made === 1 ? 'Se generó la guía' : `Se generaron las ${made} guías`;
  return made === 1 ? `Se generó 1 de ${total} guías` : `Se generaron ${made} de ${total} guías`;
};

export const guideWords = {
  chosen: (count: number) => (count === 1 ? '1 línea elegida.' : `${count} líneas elegidas.`),
  full: (most: number) => `Un lote lleva hasta ${most} líneas, y ya están elegidas.`,
  taken: (count: number, all: { count: number; hasMore: boolean }, most: number) =>
    `Se tomaron ${count} de ${all.hasMore ? 'más de ' : ''}${all.count}: un lote lleva hasta ${most}.`,
  gone: (count: number) =>
    count === 1
      ? 'Una línea salió de la selección: ya no espera guía.'
      : `${count} líneas salieron de la selección: ya no esperan guía.`,
  clear: 'Quitar selección',
  understood: 'Entendido',
  choose: (orders: string) => `Elegir ${orders}`,
  chooseAll: 'Elegir las que se ven',
  review: 'Revisar y generar guías',
  reviewOne: 'Generar guía',
  result: 'Resultado de las guías',
  checking: (count: number) => `Revisando ${lines(count)}…`,
  with: (carrier: string, account: string, service: string) =>
    `${carrier} · cuenta ${account} · servicio ${guideValues.service_type?.[service] ?? service}`,
  goods: (content: string, productId: string) =>
    `Contenido declarado en cada guía: ${content} (clave SAT ${productId}).`,
  changeGoods: 'Cambiar en Ajustes',
  askForGoods: 'Si no es lo que envías, pide a un administrador que lo cambie antes de generar.',
  account: 'Cuenta de la paquetería',
  usualAccount: 'La de la configuración',
  paused: (carrier: string, account: string) =>
    `La cuenta ${account} está en pausa. ${carrier} genera y cobra las guías, pero no leeremos sus envíos ni su saldo hasta que la reanudes en Conexiones.`,
  ready: (count: number) => (count === 1 ? '1 lista' : `${count} listas`),
  notReady: (count: number) => (count === 1 ? '1 no está lista' : `${count} no están listas`),
  withGuide: (count: number) => (count === 1 ? '1 ya tiene guía' : `${count} ya tienen guía`),
  allHaveGuide: 'Todas estas líneas ya tienen guía: no hay nada por generar.',
  checkingAgain: 'Revisando otra vez…',
  sharedGoods: 'Artículos sin peso o medidas',
  inLines: (count: number) => `en ${lines(count)}`,
  waitsFor: (names: readonly string[]) =>
    `Espera el peso o las medidas de ${names.join(', ')} (más arriba).`,
  noneReady: 'Ninguna de estas líneas está lista. Corrige lo que falta y vuelve a revisar.',
  readyLines: 'Líneas listas y sus paquetes',
  nothingChosen: 'No hay líneas por revisar. Elígelas en la lista de Almacén.',
  noAddress: 'Falta la dirección de destino.',
  writeAddress: 'Escribir dirección',
  nothingElse: 'No le falta nada más.',
  backToReview: 'Volver a la revisión de guías',
  packages: (count: number) => (count === 1 ? '1 paquete' : `${count} paquetes`),
  to: (name: string) => `Para ${name}`,
  place: (zipcode: string, city: string, state: string) => `C.P. ${zipcode}, ${city}, ${state}`,
  contents: 'Lleva',
  item: ({ quantity, title }: { quantity: number; title: string }) => `${quantity} × ${title}`,
  measures: (weight: number, sides: readonly number[]) => `${weight} kg · ${sides.join(' × ')} cm`,
  cost: (carrier: string) =>
    `Cada guía tiene costo. ${carrier} no da el importe antes de generarla.`,
  lastBalance: (carrier: string) => `Último saldo que informó ${carrier}:`,
  generate: (count: number) => `Generar ${guides(count)}`,
  notAsked: 'No se pudo pedir',
  running: (done: number, total: number) => `Van ${done} de ${lines(total)}…`,
  goesOn: 'Puedes cerrar este panel: las guías siguen su curso y quedan en «Guías recientes».',
  done: ({ made, had, unknown, total }: Counts) => {
    const others = [
      had > 0 && `${lines(had)} ya ${had === 1 ? 'tenía' : 'tenían'} guía`,
      unknown > 0 && `de ${lines(unknown)} la paquetería no contestó`,
    ].filter((part) => part !== false);
    const sentence = made === 0 && others.length > 0 ? [] : [madeOf(made, total)];
    return `${capital([...sentence, ...others].join('; '))}.`;
  },
  ofLines: lines,
  waiting: 'En espera de su turno',
  noCost: 'Costo no informado por la paquetería',
  costs: (known: number, total: number, sums: string) =>
    known === 0
      ? 'La paquetería no informó el costo de estas guías.'
      : `Costo informado en ${known} de ${guides(total)}: ${sums}`,
  balance: 'Saldo',
  retry: (count: number) =>
    count === 1 ? 'Reintentar la que falló' : `Reintentar las ${count} que fallaron`,
  download: {
    pdf: (count: number) =>
      count === 1 ? 'Descargar etiqueta en PDF' : `Descargar las ${count} etiquetas en un PDF`,
    zpl: (count: number) =>
      count === 1 ? 'Descargar etiqueta ZPL' : `Descargar las ${count} etiquetas ZPL`,
  },
  fetching: (done: number, total: number) =>
    total === 1 ? 'Preparando etiqueta…' : `Preparando etiquetas: ${done} de ${total}…`,
  downloaded: (fileName: string, count: number) =>
    `Se descargó ${fileName}, con ${count === 1 ? '1 etiqueta' : `${count} etiquetas`}.`,
  noLabel: 'La paquetería todavía no da la etiqueta. Intenta de nuevo en un momento.',
  missing: (trackings: readonly string[]) =>
    trackings.length === 1
      ? `Falta la etiqueta de ${trackings[0]}: la paquetería no la dio completa. Intenta de nuevo en un momento.`
      : `Faltan ${trackings.length} etiquetas: la paquetería no las dio completas (${trackings.join(', ')}). Intenta de nuevo en un momento.`,
  recent: 'Guías recientes',
  askedBy: (name: string | null) => (name === null ? 'Las pidió Tianguis' : `Las pidió ${name}`),
  /** Of all labels of a batch; `moment` as in «2026-11-27-1615». */
  fileName: (moment: string, count: number) => `guias-${moment}-${count}`,
  underWay: 'En curso',
  recentEmpty: 'Todavía no generas guías desde aquí. Elige líneas listas y revísalas en un lote.',
  settleHelp:
    'La paquetería no contestó. Búscala allá con la referencia: si la guía existe, escribe su rastreo; si no existe, confírmalo para poder pedir otra.',
  settleNumber: 'Rastreo que tiene la paquetería',
  settle: 'Guardar rastreo',
  absent: 'Confirmar que no hay guía',
  absentTitle: '¿La paquetería no tiene esta guía?',
  absentLoses: 'El intento se cierra sin guía, y se podrá pedir otra para esta línea.',
  absentWarns: 'Si la paquetería sí la generó, pagarías dos guías por el mismo paquete.',
  cancel: 'Cancelar guía',
  askToCancel:
    'Si la guía está mal, pide que la cancele a un supervisor de almacén, a un administrador o al propietario.',
  cancelTitle: (tracking: string) => `¿Cancelar la guía ${tracking}?`,
  cancelLoses: 'La etiqueta deja de servir. No pegues este número en ningún paquete.',
  cancelKeeps: 'La línea se queda en preparación y se le puede generar otra guía.',
  cancelling: 'Pidiendo la cancelación a la paquetería…',
  cancelled: 'La paquetería canceló la guía.',
} as const;

export const transitWords = {
  set: 'En camino',
  title: '¿Marcar «En camino»?',
  does: 'Zipnova mostrará este envío en tránsito. Primero leemos su estado allá, y al final lo volvemos a leer.',
  keeps: 'La línea sigue en preparación hasta que la transfieras a envíos.',
  asking: 'Leyendo y cambiando el estado en Zipnova…',
  done: 'Listo: la línea está en camino, y Zipnova ya lo muestra.',
  doneBefore: 'La línea ya estaba en camino.',
  account: 'Cuenta de Zipnova',
  failed: 'No se marcó «En camino»',
} as const;

/** The sentences of the lines that leave the warehouse. */
export const transferWords = {
  full: (most: number) => `Se transfieren hasta ${most} líneas a la vez, y ya están elegidas.`,
  taken: (count: number, all: { count: number; hasMore: boolean }, most: number) =>
    `Se tomaron ${count} de ${all.hasMore ? 'más de ' : ''}${all.count}: se transfieren hasta ${most} a la vez.`,
  gone: (count: number) =>
    count === 1
      ? 'Una línea salió de la selección: ya no está por salir.'
      : `${count} líneas salieron de la selección: ya no están por salir.`,
  transfer: 'Transferir a envíos',
  title: (count: number) =>
    count === 1 ? '¿Transferir 1 línea a envíos?' : `¿Transferir ${count} líneas a envíos?`,
  meaning:
    'Hazlo cuando la paquetería recoja los paquetes: salen de Almacén y quedan en «Transferidas». Si te equivocas, un supervisor de almacén, un administrador o el propietario puede regresarlas.',
  which: (orders: readonly string[], more: number) =>
    more > 0 ? `${orders.join(', ')} y ${more} más` : orders.join(', '),
  done: (count: number) =>
    count === 1 ? '1 línea se transfirió a envíos.' : `${count} líneas se transfirieron a envíos.`,
  refused: (count: number, message: string) =>
    count === 1 ? `1 no se transfirió: ${message}` : `${count} no se transfirieron: ${message}`,
  notTransferred: 'No se transfirieron',
  unknown: 'No sabemos si se transfirieron',
} as const;
