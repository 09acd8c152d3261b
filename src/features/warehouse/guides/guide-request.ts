import type { GuideAddress, GuideDefaults, GuideRequest } from '../../../carriers/contract.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import type { Address } from '../address.ts';
import { type Line, wanted, whyNot } from '../lines/line.ts';
import { lacksOfParcel } from '../lines/line-lacks.ts';
import { type Article, measureParcel } from '../products/measure.ts';
import { contentsOf } from '../products/products.ts';
import type { LogisticsSettings } from '../settings.ts';
import type { Block, Lack } from './attempt-types.ts';

type Written = { readonly ok: true; readonly request: GuideRequest } | Refused;

export interface Refused {
  readonly ok: false;
  /** All that is missing. */
  readonly lacks: readonly [Lack, ...Lack[]];
}

const MOST_COMMENT = 100;

/** The complete request for a line's guide, or why none is sent. */
export async function writeRequest(
  scope: ReadScope,
  line: Line,
  {
    settings,
    overrides,
    reference,
  }: {
    readonly settings: LogisticsSettings;
    readonly overrides: Partial<GuideDefaults>;
    readonly reference: string;
  },
): Promise<Written> {
  const { origin } = settings;
  const contents = await contentsOf(scope, line);
  const measured = measureParcel(contents, line.packages);
  const { destination } = line;
  if (!measured.ok || destination === null || origin === null) {
    const own = lacksOfParcel(line, contents).map(({ code, articles }) => lackOf(code, articles));
    const lacks = origin === null ? [...own, lackOf('missing_origin')] : own;
    return { ok: false, lacks: lacks as [Lack, ...Lack[]] };
  }
  const guide = { ...settings.guide, ...overrides };
  const orders = wanted(line.orders).map(({ id }) => id);
  const request: GuideRequest = {
    reference,
    origin: addressOf(origin, guide.country),
    destination: addressOf(destination, guide.country),
    destinationTaxId: guide.destination_tax_id,
    packages: line.packages,
    ...measured.measures,
    packageCode: guide.package_code,
    content: guide.content,
    deliveryType: guide.delivery_type,
    paymentForm: guide.payment_form,
    acknowledgement: guide.acknowledgement,
    coverage: guide.coverage,
    serviceType: guide.service_type,
    productId: guide.product_id,
    comments: `Orden ${orders.join(', ')}`.slice(0, MOST_COMMENT),
  };
  return { ok: true, request };
}

/** The missing part of a line; the account's own fault describes what is wrong with the account. */
type Lacking = Exclude<
  Block,
  'carrier_not_connected' | 'carrier_account_ambiguous' | 'listing_unread' | 'request_overdue'
>;

const SENTENCES: Readonly<Record<Lacking, (names: readonly string[], line?: Line) => string>> = {
  missing_weight: (names) =>
    `Falta el peso${of(names)}. Escríbelo en Inventario y vuelve a intentar.`,
  missing_dimensions: (names) =>
    `Faltan las medidas${of(names)}. Escríbelas en Inventario y vuelve a intentar.`,
  missing_address: () =>
    'Falta la dirección de destino. Escríbela en la línea y vuelve a intentar.',
  missing_origin: () => 'Falta la dirección de origen en la configuración de logística.',
  transition_not_allowed: (_, line) =>
    `${line ? whyNot(line.state) : ''} No se le puede generar una guía.`,
  manual_tracking: () => 'La línea ya tiene un número de rastreo escrito a mano.',
};

export function lackOf(code: Lacking, articles: readonly Article[] = [], line?: Line): Lack {
  const names = articles.map(({ name }) => name);
  return { code, message: SENTENCES[code](names, line), articles };
}

function of(names: readonly string[]): string {
  return names.length > 0 ? ` de ${names.join(', ')}` : '';
}

function addressOf(address: Address, country: string): GuideAddress {
  return { ...address, country };
}
