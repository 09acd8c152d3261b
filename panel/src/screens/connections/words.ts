import type { Output } from '../../client.ts';
import { monthWords } from '../../month-words.ts';

type Stream = Output<'connections.overview'>['data'][number]['streams'][number]['stream'];

/** What was read of each: «12 leídas». */
const READ: Readonly<Record<Stream, readonly [one: string, many: string]>> = {
  orders: ['leída', 'leídas'],
  inventory: ['leído', 'leídos'],
  balances: ['leído', 'leídos'],
  settlements: ['leída', 'leídas'],
  invoices: ['leída', 'leídas'],
  shipments: ['leído', 'leídos'],
};

export function readText(stream: Stream, count: string): string {
  const [one, many] = READ[stream];
  return `${count} ${count === '1' ? one : many}`;
}

/** The sentences about a service that cannot be connected here. */
export const notOpenWords = {
  what: (name: string) => `Por ahora ${name} no se puede conectar en Tianguis.`,
  ask: 'Si lo necesitas, escribe a',
  askNobody: 'Si lo necesitas, pídelo a la persona o empresa que te dio acceso a Tianguis.',
} as const;

/** In place of the history where no sync run is kept. */
export const noRuns = {
  since: 'No guardamos el detalle de las sincronizaciones anteriores. La última terminó el',
} as const;

/** The sentences of connecting an account. */
export const connecting = {
  title: (name: string) => `Conectar ${name}`,
  againTitle: (name: string, account: string) => `Reconectar ${name} · ${account}`,
  again:
    'Es la misma cuenta: conserva sus órdenes y su historial, y sigue donde se quedó. Solo hay que darle acceso otra vez.',
  factor: {
    not_used:
      'Para conectar, cambiar o desconectar cuentas, confirma antes con tu código o tu llave de acceso. Después vuelves aquí.',
    none_enrolled:
      'Para conectar, cambiar o desconectar cuentas se activa antes la verificación en dos pasos: toma menos de un minuto.',
  },
  notConnected: (name: string) => `No se conectó ${name}`,
  consent: (name: string) =>
    `Te llevamos a ${name} para que inicies sesión y des permiso. Después vuelves aquí.`,
  goOn: (name: string) => `Continuar en ${name}`,
  leaving: (name: string) => `Abriendo ${name}…`,
  store: 'Dominio de la tienda',
  storeHint: 'El que termina en .myshopify.com, como mitienda.myshopify.com.',
  ownApplication: 'Tengo una aplicación propia',
  optional: (label: string) => `${label} (opcional)`,
  tryAndSave: 'Probar y guardar',
  trying: (name: string) => `Probando con ${name}…`,
  addressStep: '1. Entrega la dirección de webhooks',
  credentialsStep: '2. Escribe tus credenciales',
  addressWhy: (name: string) =>
    `${name} avisa de cada movimiento de tus envíos en esta dirección. Es solo de tu organización: no la publiques.`,
  waiting: (name: string) =>
    `Cuando ${name} la registre, te entrega un usuario y un token. Puedes salir y volver después: la dirección no cambia.`,
  showAddress: 'Ver la dirección',
  copyAddress: 'Copiar dirección',
  copyMail: 'Copiar correo para tu ejecutivo',
  mail: (address: string) =>
    `Hola:\n\nPara recibir los movimientos de nuestros envíos, por favor registren esta dirección de webhooks en nuestra cuenta y envíennos el usuario y el token de los servicios web:\n\n${address}\n\nGracias.`,
  rotate: 'Cambiar la dirección',
  rotateTitle: '¿Cambiar la dirección de webhooks?',
  rotateText: (name: string) =>
    `La dirección actual deja de funcionar en 24 horas. Entrega la nueva a ${name} antes.`,
} as const;

/** The sentences of naming an account. */
export const naming = {
  open: 'Cambiar nombre',
  field: 'Nombre de la cuenta',
  hint: (service: string) => `Así la ve tu equipo en Tianguis. En ${service} no cambia nada.`,
} as const;

/** The sentences of pausing an account. */
export const pausing = {
  pause: 'Pausar',
  pausing: 'Pausando…',
  resume: 'Reanudar',
  resuming: 'Reanudando…',
  notPaused: 'No se pausó la cuenta',
  notResumed: 'No se reanudó la cuenta',
  note: 'No leemos esta cuenta ni te avisamos de ella. Al reanudarla leemos lo que cambió mientras tanto.',
} as const;

/** The sentences of «¿Está todo?». */
export const checking = {
  open: '¿Está todo?',
  title: (service: string, account: string) => `¿Está todo? ${service}: ${account}`,
  intro: (service: string) =>
    `Comparamos las órdenes que ${service} lista en el periodo con las que tienes aquí. Si falta alguna, la agregamos.`,
  period: 'Periodo',
  months: monthWords,
  days: (days: number) => (days === 1 ? 'Últimas 24 horas' : `Últimos ${days} días`),
  start: 'Revisar',
  running: 'Revisando…',
  patience: 'Puede tardar unos minutos. Puedes cerrar este panel y seguir trabajando.',
  whole: 'Está todo',
  missing: (count: string) => (count === '1' ? 'Faltaba 1 orden' : `Faltaban ${count} órdenes`),
  repaired: (count: string) =>
    count === '1'
      ? 'Faltaba 1 orden; ya la agregamos.'
      : `Faltaban ${count} órdenes; ya las agregamos.`,
  notWhole: 'No se pudo revisar todo',
  compared: (from: string, to: string) =>
    `Comparamos las órdenes con cambios del ${from} al ${to}.`,
  untilNow: 'Va hasta hoy, porque una orden del mes pasado pudo cambiar después.',
  listed: (service: string, count: string, stored: string) =>
    `${service} lista ${count === '1' ? '1 orden' : `${count} órdenes`}; aquí tienes ${stored}.`,
  noList: (service: string) => `${service} no tiene una lista de órdenes con la cual comparar.`,
  more: (count: string) => `Y ${count} más.`,
  outcomes: {
    fetched: 'Ya la agregamos',
    unreadable: 'No se pudo leer',
    not_given: 'No la entregó',
    not_tried: 'Falta agregarla',
  },
} as const;

/** The sentences of rows that could not be read. */
export const settingAside = {
  open: 'Ver qué no se pudo leer',
  intro:
    'Lo intentamos de nuevo con cada revisión completa; lo que ya se pueda leer sale de esta lista.',
  without: 'Sin identificador',
  field: (field: string) => `No entendimos el campo ${field}`,
  whole: 'No entendimos la respuesta del servicio',
  tooLarge: 'Es más grande de lo que podemos leer',
  more: 'Hay más; se muestran los más recientes.',
} as const;
