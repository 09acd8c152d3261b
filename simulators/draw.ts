/** What chance decides: goods, buyers, what they buy, and how it goes on from there. */
import { FIRST_NAMES, GOODS, LAST_NAMES, PLACES } from './catalogue.ts';
import { type Dice, dice } from './dice.ts';
import {
  type Buyer,
  cents,
  decimal,
  type Line,
  type Product,
  type State,
  type Step,
  wholeSecond,
} from './order.ts';

export interface LineSpec {
  sku?: string;
  title?: string;
  quantity?: number;
  unitPrice?: string;
  listPrice?: string;
}

interface Life {
  readonly steps: readonly Step[];
  readonly inPerson: boolean;
}

const LIVES: readonly { weight: number; steps: readonly State[]; inPerson?: true }[] = [
  { weight: 66, steps: ['paid', 'packed', 'shipped', 'delivered'] },
  { weight: 5, steps: ['paid'], inPerson: true },
  { weight: 8, steps: ['cancelled'] },
  { weight: 7, steps: ['paid', 'cancelled'] },
  { weight: 3, steps: ['paid', 'packed', 'cancelled'] },
  { weight: 4, steps: ['paid', 'packed', 'shipped', 'delivered', 'returning', 'returned'] },
  {
    weight: 4,
    steps: ['paid', 'packed', 'shipped', 'delivered', 'returning', 'returned', 'refunded'],
  },
  { weight: 3, steps: ['paid', 'packed', 'shipped', 'delivered', 'partially_refunded'] },
];

/** Hours from the step before, from … to. */
const WAITS: Record<State, readonly [number, number]> = {
  placed: [0, 0],
  paid: [0.02, 2],
  packed: [1, 20],
  shipped: [2, 24],
  delivered: [18, 96],
  returning: [24, 120],
  returned: [24, 120],
  partially_refunded: [4, 72],
  refunded: [1, 48],
  cancelled: [0.5, 12],
};

const CART_SIZES = [
  { weight: 80, lines: 1 },
  { weight: 15, lines: 2 },
  { weight: 5, lines: 3 },
];

/** How many different things are bought in one go. */
export function drawCartSize(chance: Dice): number {
  return chance.weighted(CART_SIZES).lines;
}

export function drawLife(chance: Dice, placed: number, hour: number): Life {
  const { steps: states, inPerson = false } = chance.weighted(LIVES);
  const steps: Step[] = [{ state: 'placed', at: placed }];
  let at = placed;
  for (const state of states) {
    at = wholeSecond(at + chance.between(...WAITS[state]) * hour);
    steps.push({
      state,
      at,
      ...(state === 'cancelled' && { by: chance.pick(['buyer', 'seller'] as const) }),
    });
  }
  return {
    inPerson,
    steps: steps.map((step) =>
      step.state === 'partially_refunded' ? { ...step, amount: '50.00' } : step,
    ),
  };
}

export function drawProducts(seed: string, howMany: number): Product[] {
  return Array.from({ length: howMany }, (_, index) => {
    const chance = dice(seed, 'product', index);
    const [title, price, grams, kinds] = GOODS[index % GOODS.length] as (typeof GOODS)[number];
    const model = Math.floor(index / GOODS.length);
    const sku = `TG-${String(index + 1).padStart(4, '0')}`;
    const variants = (kinds?.[1] ?? []).map((value, kind) => ({
      sku: `${sku}-${kind + 1}`,
      name: kinds?.[0] ?? '',
      value,
      stock: chance.whole(3, 40),
    }));
    return {
      sku,
      title: model === 0 ? title : `${title} modelo ${model + 1}`,
      price,
      stock: variants.reduce((sum, variant) => sum + variant.stock, 0) || chance.whole(5, 120),
      grams,
      keptByMarketplace: chance.chance(0.25),
      variants,
    };
  });
}

export function drawBuyer(chance: Dice): Buyer {
  const number = chance.whole(1, 400);
  const own = dice('buyer', number);
  const firstName = own.pick(FIRST_NAMES);
  const [city, state, stateCode, zip, street] = own.pick(PLACES);
  return {
    number,
    firstName,
    lastName: `${own.pick(LAST_NAMES)} ${own.pick(LAST_NAMES)}`,
    email: `comprador${number}@example.com`,
    phone: `55${own.whole(10_000_000, 99_999_999)}`,
    address: { street: `${street} ${own.whole(1, 900)}`, city, state, stateCode, zip },
  };
}

export function drawLine(chance: Dice, products: readonly Product[]): Line {
  const product = chance.pick(products);
  const variant = product.variants.length > 0 ? chance.pick(product.variants) : null;
  const quantity = chance.chance(0.8) ? 1 : chance.whole(2, 4);
  const off = chance.chance(0.2) ? chance.pick([0.05, 0.1, 0.25]) : 0;
  const unitPrice = decimal(Math.round(cents(product.price) * (1 - off)));
  return {
    product,
    variant,
    sku: variant?.sku ?? product.sku,
    title: product.title,
    quantity,
    unitPrice,
    listPrice: product.price,
  };
}

export function lineOf(spec: LineSpec, drawn: Line, products: readonly Product[]): Line {
  const product = products.find(
    ({ sku, variants }) => sku === spec.sku || variants.some((variant) => variant.sku === spec.sku),
  );
  const base: Line = product
    ? {
        ...drawn,
        product,
        variant: product.variants.find((variant) => variant.sku === spec.sku) ?? null,
        sku: spec.sku ?? product.sku,
        title: product.title,
        unitPrice: product.price,
        listPrice: product.price,
      }
    : drawn;
  return {
    ...base,
    quantity: spec.quantity ?? base.quantity,
    title: spec.title ?? base.title,
    unitPrice: spec.unitPrice ?? base.unitPrice,
    listPrice: spec.listPrice ?? spec.unitPrice ?? base.listPrice,
  };
}
