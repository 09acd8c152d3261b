/** A parcel: what it is, and what happened to it by when. */
import { dice } from '../dice.ts';
import { cents, decimal, type Order, reachedAt, wholeSecond } from '../order.ts';

export interface ParcelEvent {
  readonly code: string;
  /** Epoch milliseconds. Those after now are still to come. */
  readonly at: number;
}

export interface Parcel {
  readonly tracking: string;
  readonly guide: string;
  readonly reference: string;
  readonly documentedAt: number;
  readonly hasNoHistory?: boolean;
  readonly content: string;
  readonly productId: string;
  readonly packageCode: string;
  readonly packages: number;
  readonly kilograms: number;
  /** Centimetres. */
  readonly sides: readonly [number, number, number];
  /** Decimal text, in MXN, with the tax. */
  readonly amount: string;
  readonly serviceType: string;
  readonly receiver: Receiver;
  events: ParcelEvent[];
}

interface Receiver {
  readonly name: string;
  readonly street: string;
  readonly number: string;
  readonly colony: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly phone: string;
}

export const TITLES: Readonly<Record<string, string>> = {
  SWB: 'Documentacion WEB',
  HCM: 'Recolección realizada',
  HCA: 'Mercancía en almacén origen',
  TRN: 'Mercancía En Tránsito',
  EAD: 'Mercancía en sucursal destino',
  HTC: 'En ruta de entrega',
  ENT: 'Entregada',
  HDC: 'Entregada a domicilio',
  HCE: 'Entrega revertida',
  HDR: 'No entregada',
  RGR: 'Solicitud de devolución',
  CWB: 'Guía cancelada',
};

const COLLECTED = ['HCM', 'HCA', 'TRN', 'WHU', 'EAD', 'HTC', 'ENT', 'HDC', 'BDL'];
/** Hours after a guide was made by an order of its own. */
const LIFE: readonly (readonly [string, number])[] = [
  ['SWB', 0],
  ['HCM', 20],
  ['HCA', 22],
  ['TRN', 28],
  ['EAD', 52],
  ['HTC', 54],
  ['ENT', 58],
];

export function happened({ events }: Parcel, now: number): ParcelEvent[] {
  return events.filter(({ at }) => at <= now);
}

export function isCollected(parcel: Parcel, now: number): boolean {
  return happened(parcel, now).some(({ code }) => COLLECTED.includes(code));
}

/** All that will come of a guide, an hour of its life lasting so long. */
export function lifeFrom(at: number, hour: number): ParcelEvent[] {
  return LIFE.map(([code, hours]) => ({ code, at: wholeSecond(at + hours * hour) }));
}

/** An order of the shop that is packed has a guide; its reference is the order's own number. */
export function parcelOf(order: Order, now: number): Parcel | null {
  const documentedAt = reachedAt(order, 'packed', now);
  if (documentedAt === null || order.inPerson) return null;
  const chance = dice('paquetexpress', order.number);
  const pieces = order.lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const grams = order.lines.reduce(
    (sum, { product, quantity }) => sum + product.grams * quantity,
    0,
  );
  const { firstName, lastName, address, phone } = order.buyer;
  const kilograms = Math.max(1, Math.ceil(grams / 1_000));
  return {
    tracking: trackingOf(order.number),
    guide: guideOf(order.number),
    reference: order.id,
    documentedAt,
    content: (order.lines[0]?.title ?? 'MERCANCIA').toUpperCase(),
    productId: '56101508',
    packageCode: '3',
    packages: Math.max(1, Math.ceil(pieces / 4)),
    kilograms,
    sides: [chance.whole(20, 60), chance.whole(15, 50), chance.whole(10, 40)],
    amount: priceOf(kilograms),
    serviceType: 'ST',
    receiver: {
      name: `${firstName} ${lastName}`,
      street: address.street,
      number: String(chance.whole(1, 900)),
      colony: 'CENTRO',
      city: address.city,
      state: address.state,
      zip: address.zip,
      phone,
    },
    events: eventsOf(order, documentedAt),
  };
}

/** Between the two ends that the order knows, the way is divided. */
function eventsOf(order: Order, documentedAt: number): ParcelEvent[] {
  const at = (state: Parameters<typeof reachedAt>[1]) =>
    reachedAt(order, state, Number.POSITIVE_INFINITY);
  const [shipped, delivered] = [at('shipped'), at('delivered')];
  const way = shipped !== null && delivered !== null ? delivered - shipped : null;
  const between = (code: string, part: number) =>
    way === null || shipped === null ? [] : [{ code, at: wholeSecond(shipped + way * part) }];
  const once = (code: string, when: number | null) => (when === null ? [] : [{ code, at: when }]);
  return [
    { code: 'SWB', at: documentedAt },
    ...once('HCA', shipped),
    ...between('TRN', 0.3),
    ...between('EAD', 0.8),
    ...once('ENT', delivered),
    ...once('RGR', at('returning')),
    ...once('CWB', at('cancelled')),
  ];
}

export function trackingOf(number: number): string {
  return `82${String(number).padStart(16, '0').slice(-16)}`;
}

export function guideOf(number: number): string {
  return `GDL01WE${String(number % 10_000_000).padStart(7, '0')}`;
}

/** Invented, and the same for all accounts. */
export function priceOf(kilograms: number): string {
  return decimal(Math.round((cents('118.40') + kilograms * cents('6.35')) * 1.16));
}
