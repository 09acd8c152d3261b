/** The parcels of a shop's orders, and those that were requested or documented here. */
import { wholeSecond } from '../order.ts';
import type { World } from '../world.ts';
import { guideOf, happened, type Parcel, parcelOf, priceOf, trackingOf } from './parcel.ts';

export interface ParcelSpec {
  tracking?: string;
  reference?: string;
  /** Epoch milliseconds; default: now. */
  at?: number;
  /** Its history is refused; the list has its last event. */
  hasNoHistory?: boolean;
}

export function openParcels(world: World, now: () => number) {
  const own = new Map<string, Parcel>();

  function parcels(): Parcel[] {
    const ofOrders = world.orders().flatMap((order) => parcelOf(order, now()) ?? []);
    const replaced = ofOrders.filter(({ tracking }) => !own.has(tracking));
    return [...replaced, ...own.values()].sort((a, b) => a.documentedAt - b.documentedAt);
  }

  function find(tracking: string): Parcel | undefined {
    return own.get(tracking) ?? parcels().find((parcel) => parcel.tracking === tracking);
  }

  function document(spec: ParcelSpec = {}): Parcel {
    const parcel = parcelByHand(own.size, { ...spec, at: spec.at ?? now() });
    own.set(parcel.tracking, parcel);
    return parcel;
  }

  function happen(tracking: string, code: string, at = now()): void {
    const parcel = find(tracking);
    if (!parcel) throw new Error(`there is no parcel ${tracking}`);
    own.set(tracking, parcel);
    parcel.events = [...happened(parcel, now()), { code, at }];
  }

  const keep = (parcel: Parcel) => void own.set(parcel.tracking, parcel);

  return { parcels, find, keep, document, happen };
}

/** To which nothing happens by itself. */
function parcelByHand(
  count: number,
  { tracking, reference, at, hasNoHistory = false }: ParcelSpec & { readonly at: number },
): Parcel {
  const number = 8e15 + count;
  const documentedAt = wholeSecond(at);
  return {
    tracking: tracking ?? trackingOf(number),
    guide: guideOf(number),
    reference: reference ?? `REF-${count}`,
    documentedAt,
    hasNoHistory,
    content: 'COLCHON',
    productId: '56101508',
    packageCode: '3',
    packages: 1,
    kilograms: 12,
    sides: [190, 40, 40],
    amount: priceOf(12),
    serviceType: 'ST',
    receiver: {
      name: 'COMPRADORA SIMULADA',
      street: 'CALLE DE LAS FLORES',
      number: '7',
      colony: 'CENTRO',
      city: 'PUEBLA',
      state: 'PUEBLA',
      zip: '72000',
      phone: '2220000000',
    },
    events: [{ code: 'SWB', at: documentedAt }],
  };
}
