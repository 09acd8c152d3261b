import { z } from 'zod';
import { parseOrNull } from '../../connectors/answer-document.ts';
import { Rows } from '../../connectors/lists.ts';
import { amount, id, instant, looseText, optional, whole } from '../../connectors/wire-fields.ts';
import { type Decimal, divide } from '../../platform/money.ts';
import { type Instant, latest } from '../../platform/time.ts';
import type {
  ChannelRelation,
  ShipmentLocation,
  ShipmentPackage,
  SourceShipment,
  SourceShipmentEvent,
} from '../contract.ts';
import { beganAsReturn, categoryOf, stateOf } from './states.ts';

const text = z.string();
/** Zipnova of Mexico charges in pesos and names no currency in a shipment. */
const CURRENCY = 'MXN';
const KILOGRAM_DECIMALS = 3;
/** `return_origin` is the documented one. */
const RETURN_SERVICES = /^return/i;

/** A page in Laravel's form; its rows are read one by one. */
export const Listed = z.object({
  data: Rows,
  meta: z.object({ current_page: whole, last_page: whole, total: whole }),
});

export const Row = z.object({ id, status: text, created_at: instant });
export type Row = z.infer<typeof Row>;

export const AccountRow = z.object({ id, name: optional(text), company_name: optional(text) });
export type ZipnovaAccount = z.infer<typeof AccountRow>;

export const Prepaid = z.object({
  balance: optional(
    z.object({
      balance: optional(amount),
      available: optional(amount),
      credit_limit: optional(amount),
      currency: optional(text),
    }),
  ),
});

export const Subscription = z.object({ id, topic: text, url: text });

/**
 * `errors` is a list of sentences, or an object by field, the form of the framework behind the API.
 */
const Refused = z.object({
  message: optional(text),
  errors: optional(z.union([z.array(text), z.record(text, z.array(text))])),
});
const MOST_REASONS = 3;
const LONGEST_REASON = 200;

// Fields without a value may be empty texts.

const Location = z.object({ city: looseText, state: looseText, zipcode: looseText });

const Package = z.object({
  sku_id: looseText,
  description_1: looseText,
  description_2: looseText,
  weight: optional(amount),
  length: optional(amount),
  width: optional(amount),
  height: optional(amount),
});

const Relation = z.object({
  channel: looseText,
  order_id: looseText,
  pack_id: looseText,
  tags: optional(z.array(looseText)).catch(null),
});

/** Its shape is not documented, so it must not cost its shipment. */
const Relations = z
  .unknown()
  .optional()
  .transform((given) => [given].flat().flatMap((one) => Relation.safeParse(one).data ?? []));

export const Shipment = z.object({
  id,
  external_id: looseText,
  delivery_id: looseText,
  carrier_tracking_id: looseText,
  created_at: instant,
  account_id: id,
  parent_shipment_id: looseText,
  service_type: looseText,
  logistic_type: looseText,
  carrier: optional(z.object({ name: looseText })).catch(null),
  status: text,
  destination: optional(Location).catch(null),
  origin: optional(Location).catch(null),
  declared_value: optional(amount),
  price: optional(amount),
  price_incl_tax: optional(amount),
  packages: optional(z.array(Package)),
  channel_relations: Relations,
});
export type Shipment = z.infer<typeof Shipment>;

const Tracking = z.array(
  z.object({
    created_at: instant,
    status: z.object({ code: text, name: looseText, substatus: looseText }),
  }),
);
type Step = z.infer<typeof Tracking>[number];

/** The reasons of a refusal, as lines to be quoted; empty = none can be read. */
export function reasonsOf(body: string): string[] {
  const { message = null, errors = null } = Refused.safeParse(parseOrNull(body)).data ?? {};
  const reported = Array.isArray(errors) ? errors : Object.values(errors ?? {}).flat();
  const lines = (reported.length > 0 ? reported : [message ?? ''])
    .map(plain)
    .filter((line) => line !== '');
  return [...new Set(lines)].slice(0, MOST_REASONS);
}

/** One line without control characters and markup. */
function plain(words: string): string {
  const line = words
    .replace(/<[^<>]{0,200}>/g, ' ')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .replace(/ ?\.$/, '');
  const letters = [...line];
  return letters.length > LONGEST_REASON ? `${letters.slice(0, LONGEST_REASON).join('')}…` : line;
}

/** One shipment with its history, as received. @throws ZodError */
export function readShipment(
  document: unknown,
  tracking: unknown,
  fetchedAt: Instant,
): SourceShipment {
  const shipment = Shipment.parse(document);
  const steps = inOrder(Tracking.parse(tracking));
  const state = stateOf(shipment.status);
  const isReturn = isReturnParcel(shipment, codesOf(steps));
  return {
    id: shipment.id,
    trackingNumber: shipment.carrier_tracking_id ?? shipment.delivery_id,
    guideNumber: shipment.delivery_id,
    category: categoryOf(shipment.status, codesOf(steps)),
    carrierStatus: shipment.status,
    isFinal: state?.isFinal ?? false,
    isDamaged: state?.isDamaged ?? false,
    isReturn,
    parentId: shipment.parent_shipment_id,
    finalCarrier: shipment.carrier?.name ?? null,
    serviceType: shipment.service_type,
    cost: shipment.price_incl_tax ?? shipment.price,
    currency: CURRENCY,
    declaredValue: shipment.declared_value,
    createdAt: shipment.created_at,
    pickedUpAt:
      steps.find(({ status }) => stateOf(status.code)?.category === 'EN_TRANSITO')?.created_at ??
      null,
    deliveredAt: state?.category === 'ENTREGADO' ? whenLast(steps, shipment.status) : null,
    estimatedDelivery: null,
    origin: shipment.origin && locationOf(shipment.origin),
    destination: shipment.destination && locationOf(shipment.destination),
    packages: (shipment.packages ?? []).map(packageOf),
    orderReference: shipment.external_id,
    relations: shipment.channel_relations.map(relationOf),
    events: steps.map((step, at) => eventOf(shipment, step, codesOf(steps.slice(0, at)))),
    details: null,
    changedAt: latest(shipment.created_at, ...steps.map(({ created_at }) => created_at)),
    fetchedAt,
    raw: JSON.stringify({ shipment: withoutBuyer(document, isReturn), tracking }),
  };
}

/**
 * A return is known by its service type. Its `parent_shipment_id` decides nothing: it may be null,
 * and a replacement parcel has one too.
 */
export function isReturnParcel(
  { service_type, status }: Pick<Shipment, 'service_type' | 'status'>,
  codes: readonly string[],
): boolean {
  return RETURN_SERVICES.test(service_type ?? '') || beganAsReturn([...codes, status]);
}

/** Removes the buyer's name, address and contact. On a return the buyer may be at either end. */
function withoutBuyer(document: unknown, isReturn: boolean): unknown {
  const { destination, origin, ...rest } = document as { destination?: object; origin?: object };
  return { ...rest, origin: isReturn ? townOf(origin) : origin, destination: townOf(destination) };
}

function townOf(location: object | undefined): object | null {
  return Location.safeParse(location).data ?? null;
}

/**
 * Oldest first, in any order received; events of one instant as in a list that ends with the
 * newest.
 */
function inOrder(steps: readonly Step[]): Step[] {
  const [first, last] = [steps[0], steps.at(-1)];
  const isNewestFirst =
    first && last && Temporal.Instant.compare(first.created_at, last.created_at) > 0;
  const given = isNewestFirst ? steps.toReversed() : steps;
  return given.toSorted((a, b) => Temporal.Instant.compare(a.created_at, b.created_at));
}

function codesOf(steps: readonly Step[]): string[] {
  return steps.map(({ status }) => status.code);
}

function whenLast(steps: readonly Step[], code: string): Instant | null {
  return steps.findLast(({ status }) => status.code === code)?.created_at ?? null;
}

/** Named by the shipment's own id: its tracking number is assigned later, or never. */
function eventOf({ id }: Shipment, step: Step, before: readonly string[]): SourceShipmentEvent {
  const { code, name, substatus } = step.status;
  return {
    trackingNumber: id,
    code,
    category: categoryOf(code, before),
    description: substatus && name ? `${name} (${substatus})` : (name ?? substatus),
    location: null,
    occurredAt: step.created_at,
    raw: JSON.stringify(step),
  };
}

function locationOf({ city, state, zipcode }: z.infer<typeof Location>): ShipmentLocation {
  return { city, state, zipcode };
}

/** Weights are in grams. */
function packageOf(given: z.infer<typeof Package>): ShipmentPackage {
  return {
    sku: given.sku_id,
    content: given.description_2 ?? given.description_1,
    quantity: 1,
    weightKg: given.weight && kilograms(given.weight),
    lengthCm: given.length,
    widthCm: given.width,
    heightCm: given.height,
  };
}

function kilograms(grams: Decimal): Decimal {
  return divide(grams, 1000, KILOGRAM_DECIMALS);
}

function relationOf({
  channel,
  order_id,
  pack_id,
  tags,
}: z.infer<typeof Relation>): ChannelRelation {
  const named = (tags ?? []).filter((tag) => tag !== null);
  return { channel, orderId: order_id, packId: pack_id, tags: named };
}
