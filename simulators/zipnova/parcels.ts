/** Parcels: most follow an order of the world and move with it, some are made by hand. */
import { type Order, placedAt, type State, type Step } from '../order.ts';
import type { World } from '../world.ts';

export interface Relation {
  readonly channel?: string;
  readonly order_id?: string | null;
  readonly pack_id?: string | null;
  readonly tags?: readonly string[];
}

/** A state with the moment it began, epoch milliseconds. */
export interface Moment {
  readonly code: string;
  readonly at: number;
  readonly substatus?: string;
}

export interface Parcel {
  readonly id: number;
  readonly account: number;
  readonly externalId: string;
  readonly madeAt: number;
  readonly isOwnFleet: boolean;
  /** On its way from a buyer back to the seller. */
  readonly isReturn: boolean;
  /** The parcel that it follows; a return that was requested by API has none. */
  readonly parent: number | null;
  /** What it says to a request that sets its state; empty = it is set. */
  readonly refusals: readonly string[];
  readonly order: Order | null;
  readonly relations: readonly Relation[];
  /** Fields of its document that are other than usual. */
  readonly fields: object;
  /** Oldest first; those to come are in it too. */
  readonly moments: readonly Moment[];
}

interface ParcelSpec {
  account?: number;
  externalId?: string;
  relations?: readonly Relation[];
  fields?: object;
  isOwnFleet?: boolean;
  isReturn?: boolean;
  parent?: number;
  refusals?: readonly string[];
  /** Epoch milliseconds; default: now. */
  at?: number;
  code?: string;
}

export interface Parcels {
  /** Of an account, or of all; the newest first. */
  all(account?: number): Parcel[];
  find(id: number): Parcel | undefined;
  make(spec?: ParcelSpec): Parcel;
  /** What was to come is dropped: from here on the parcel is in the caller's hands. */
  move(id: number, code: string, substatus?: string): void;
  /** The last step was a mistake: it is gone, as if it had never been. */
  takeBack(id: number): void;
  remove(id: number): void;
  /** A pull: what moved since the last call, oldest first. */
  watch(): () => { parcel: Parcel; moment: Moment }[];
}

const BY_ORDER = 3_000_000;
const BACK_BY_ORDER = 4_000_000;
const HOUR = 3_600_000;

/** States with the time after the step that leads to them. */
type Routes = Readonly<Partial<Record<State, readonly (readonly [string, number])[]>>>;

/** The states of a parcel that an order's own state leads through. */
const ROUTES: Routes = {
  paid: [['new', 0]],
  packed: [
    ['documentation_ready', 0],
    ['ready_to_ship', HOUR / 2],
  ],
  shipped: [
    ['shipped', 0],
    ['in_transit_to_crossdock', HOUR],
    ['crossdock', 3 * HOUR],
    ['in_transit', 5 * HOUR],
    ['out_for_delivery', 20 * HOUR],
  ],
  delivered: [['delivered', 0]],
  cancelled: [['cancelled', 0]],
};
/** What was delivered comes back as a parcel of its own, which is delivered to the seller. */
const ROUTES_BACK: Routes = {
  returning: [
    ['new', 0],
    ['shipped', HOUR],
    ['in_transit', 3 * HOUR],
  ],
  returned: [['delivered', 0]],
};

interface Options {
  readonly world: World;
  readonly now: () => number;
  readonly accounts: readonly number[];
  readonly channel: string;
}

export function createParcels(options: Options): Parcels {
  const { world, now, accounts } = options;
  const byHand: Parcel[] = [];
  const moved = new Map<number, readonly Moment[]>();
  const removed = new Set<number>();
  let made = 0;

  const ofOrders = () =>
    world
      .orders()
      .flatMap((order) => [ofOrder(order, false, options), ofOrder(order, true, options)])
      .filter((parcel) => parcel !== null);

  function all(account?: number): Parcel[] {
    return [...byHand, ...ofOrders()]
      .filter(
        ({ id, account: own }) => !removed.has(id) && (account === undefined || own === account),
      )
      .map((parcel) => ({ ...parcel, moments: moved.get(parcel.id) ?? parcel.moments }))
      .sort((a, b) => b.madeAt - a.madeAt || b.id - a.id);
  }

  const find = (id: number) => all().find((parcel) => parcel.id === id);

  return {
    all,
    find,
    make({ account, externalId, relations = [], at = now(), code = 'new', ...given } = {}) {
      made += 1;
      const parcel = {
        id: 101_000 + made,
        account: account ?? (accounts[0] as number),
        externalId: externalId ?? `REF-${made}`,
        madeAt: at,
        isOwnFleet: given.isOwnFleet ?? false,
        isReturn: given.isReturn ?? false,
        parent: given.parent ?? null,
        refusals: given.refusals ?? [],
        order: null,
        relations,
        fields: given.fields ?? {},
        moments: [{ code, at }],
      };
      byHand.push(parcel);
      return parcel;
    },
    move(id, code, substatus) {
      const past = pastOf(find(id)?.moments ?? [], now());
      moved.set(id, [
        ...past,
        { code, at: Math.floor(now() / 1000) * 1000, ...(substatus && { substatus }) },
      ]);
    },
    takeBack: (id) => void moved.set(id, pastOf(find(id)?.moments ?? [], now()).slice(0, -1)),
    remove: (id) => void removed.add(id),
    watch: () => watchMoments(all, now),
  };
}

/** Null where the order has no such parcel, or not yet. */
function ofOrder(order: Order, isReturn: boolean, options: Options): Parcel | null {
  const { now, accounts, channel } = options;
  const moments = order.inPerson ? [] : momentsOf(order.steps, isReturn ? ROUTES_BACK : ROUTES);
  const [first] = moments;
  if (!first || first.at > now()) return null;
  return {
    id: (isReturn ? BACK_BY_ORDER : BY_ORDER) + order.number,
    account: accounts[0] as number,
    externalId: order.id,
    madeAt: Math.max(first.at, placedAt(order)),
    isOwnFleet: false,
    isReturn,
    parent: isReturn ? BY_ORDER + order.number : null,
    refusals: [],
    order,
    relations: [{ channel, order_id: order.id, pack_id: null, tags: [] }],
    fields: {},
    moments,
  };
}

function watchMoments(
  all: () => readonly Parcel[],
  now: () => number,
): ReturnType<Parcels['watch']> {
  const seen = new Map<number, number>();
  const pull = () =>
    all()
      .flatMap((parcel) => {
        const past = pastOf(parcel.moments, now());
        const fresh = past.slice(seen.get(parcel.id) ?? 0);
        seen.set(parcel.id, past.length);
        return fresh.map((moment) => ({ parcel, moment }));
      })
      .sort((a, b) => a.moment.at - b.moment.at);
  pull();
  return pull;
}

export function pastOf(moments: readonly Moment[], now: number): Moment[] {
  return moments.filter(({ at }) => at <= now);
}

/** The last one that has begun. */
export function stateOf(parcel: Parcel, now: number): Moment {
  return pastOf(parcel.moments, now).at(-1) ?? (parcel.moments[0] as Moment);
}

/** A station that would come after the order's next step is never reached. */
function momentsOf(steps: readonly Step[], routes: Routes): Moment[] {
  return steps.flatMap((step, index) => {
    const end = steps[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    return (routes[step.state] ?? [])
      .map(([code, after]) => ({ code, at: step.at + after }))
      .filter(({ at }) => at < end || at === step.at);
  });
}
