import { z } from 'zod';
import { CARRIERS, type Carrier, type GuideDefaults } from '../../carriers/contract.ts';
import { carriersThat } from '../../carriers/registry.ts';
import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import { isLoopback } from '../../platform/config-readers.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { isOutward } from '../../platform/network.ts';
import { connectedAccounts } from '../connections/index.ts';
import { lockOrganization } from '../organizations/index.ts';
import { mustBeAbleTo } from '../people/index.ts';
import { noteAction, noteInTrail } from './actions.ts';
import type { Actor } from './actor.ts';
import {
  type Address,
  AddressShape,
  faultOfObject,
  readShape,
  requiredText,
  shaped,
} from './address.ts';
import type { Line } from './lines/line.ts';
import * as store from './store-settings.ts';

/** Our own fleet ships the orders that meet all of these conditions; null = any. */
interface OwnFleetRule {
  readonly marketplace: Marketplace | null;
  readonly account_id: string | null;
  readonly tag: string | null;
}

export interface LogisticsSettings {
  /** The collection address; null = not given yet, and no guide can be made. */
  readonly origin: Address | null;
  /** The carrier that makes the guides. */
  readonly carrier: Carrier;
  /** The account there, by the carrier's own id; null = the only one. */
  readonly carrier_account_id: string | null;
  readonly own_fleet: readonly OwnFleetRule[];
  readonly guide: GuideDefaults;
  /**
   * Another address of the guide operation, for tests at the carrier and contingencies; null = its
   * own.
   */
  readonly guide_url: string | null;
}

const [MAKER] = carriersThat(({ facts }) => facts.guideDefaults !== null);
if (!MAKER?.facts.guideDefaults) throw new Error('no carrier makes guides');

const DEFAULT_SETTINGS: LogisticsSettings = {
  origin: null,
  carrier: MAKER.slug,
  carrier_account_id: null,
  own_fleet: [],
  guide: MAKER.facts.guideDefaults,
  guide_url: null,
};

const MOST_RULES = 50;

/** Fields of the guide, each of which may be left out. */
const GuideOverride = {
  destination_tax_id: shaped(
    /^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}$/,
    'debe ser un RFC en mayúsculas',
  ).exactOptional(),
  country: requiredText(40).exactOptional(),
  package_code: shaped(
    /^\d{1,3}$/,
    'debe ser un código numérico de empaque, como 3',
  ).exactOptional(),
  content: requiredText(100).exactOptional(),
  delivery_type: shaped(/^\d$/, 'debe ser un solo dígito, como 2').exactOptional(),
  payment_form: choice('PAID', 'TO_PAY').exactOptional(),
  acknowledgement: choice('N', 'C', 'I', 'X').exactOptional(),
  coverage: choice('N', 'A').exactOptional(),
  service_type: choice('ST', '2D', 'DS', 'A12', 'MD').exactOptional(),
  product_id: shaped(/^\d{8}$/, 'debe tener los ocho dígitos de la clave del SAT').exactOptional(),
};

/** Some of the layout's fields, for one batch or for a change of the settings. */
const GuideOverrides: z.ZodType<Partial<GuideDefaults>> = z.strictObject(GuideOverride, {
  error: faultOfObject,
});

const orNull = <T>(shape: z.ZodType<T>) => shape.nullish().transform((value) => value ?? null);

const Rule: z.ZodType<OwnFleetRule> = z
  .strictObject(
    {
      marketplace: orNull(choice(...MARKETPLACES)),
      account_id: orNull(requiredText(200)),
      tag: orNull(requiredText(200)),
    },
    { error: faultOfObject },
  )
  .refine((rule) => rule.marketplace !== null || rule.account_id !== null || rule.tag !== null, {
    error: 'debe tener al menos una condición: marketplace, account_id o tag',
  });

const Change = z
  .strictObject(
    {
      origin: AddressShape.nullable(),
      carrier: choice(...CARRIERS),
      carrier_account_id: requiredText(200).nullable(),
      own_fleet: z
        .array(Rule, { error: 'debe ser una lista' })
        .max(MOST_RULES, { error: `admite hasta ${MOST_RULES} reglas` }),
      guide: GuideOverrides,
      guide_url: z
        .string({ error: 'debe ser una dirección' })
        .refine(isGuideAddress, {
          error: 'debe ser una dirección https pública, sin puerto, usuario, consulta ni fragmento',
        })
        .nullable(),
    },
    { error: faultOfObject },
  )
  .partial();

export async function logisticsSettings(scope: ReadScope): Promise<LogisticsSettings> {
  const stored = await store.read(scope);
  return {
    ...DEFAULT_SETTINGS,
    ...(stored === null ? {} : (JSON.parse(stored) as LogisticsSettings)),
  };
}

/**
 * Changes the given fields and keeps the rest; each field of `guide` is changed by itself.
 * @throws Failure invalid_request, insufficient_role
 */
export async function changeSettings(
  scope: WriteScope,
  actor: Actor,
  typed: unknown,
): Promise<LogisticsSettings> {
  mustBeAbleTo(actor.role, 'manage_logistics');
  const change = readShape(Change, typed, 'settings');
  if (actor.kind !== 'operator' && change.guide_url && isLoopback(change.guide_url))
    throw invalid(
      'settings.guide_url',
      'El campo settings.guide_url debe ser una dirección https.',
    );
  await lockOrganization(scope);
  const known = await logisticsSettings(scope);
  const isMoved = change.carrier !== undefined && change.carrier !== known.carrier;
  const settings = {
    ...known,
    // An account is one of its carrier's.
    ...(isMoved && { carrier_account_id: null }),
    ...change,
    guide: { ...known.guide, ...change.guide },
  } as LogisticsSettings;
  if (change.carrier_account_id) await mustBeConnected(scope, settings);
  await store.write(scope, JSON.stringify(settings), scope.clock.now());
  await noteAction(scope, actor, 'change_settings', null, { changed: Object.keys(change) });
  await noteInTrail(scope, actor, 'logistics_changed');
  return settings;
}

/** @throws Failure invalid_request */
async function mustBeConnected(
  scope: ReadScope,
  { carrier, carrier_account_id: accountId }: LogisticsSettings,
): Promise<void> {
  const accounts = await connectedAccounts(scope, carrier);
  if (accounts.some((account) => account.accountId === accountId)) return;
  throw invalid(
    'settings.carrier_account_id',
    'Esa cuenta no está conectada. Elige una de tus cuentas conectadas.',
  );
}

/** @throws Failure invalid_request */
export function readOverrides(typed: unknown): Partial<GuideDefaults> {
  return readShape(GuideOverrides, typed ?? {}, 'overrides');
}

/** Whether our own fleet ships an order, regardless of the carrier that delivers it. */
export function isOwnFleet(
  { own_fleet: rules }: LogisticsSettings,
  line: Pick<Line, 'marketplace' | 'accountId' | 'orders'>,
): boolean {
  return rules.some(
    ({ marketplace, account_id, tag }) =>
      (marketplace === null || marketplace === line.marketplace) &&
      (account_id === null || account_id === line.accountId) &&
      (tag === null || line.orders.some(({ tags }) => tags.includes(tag))),
  );
}

function choice<const Values extends readonly [string, ...string[]]>(...values: Values) {
  return z.enum(values, { error: `debe ser uno de: ${values.join(', ')}` });
}

/**
 * The carrier's token is sent there, so it must be https; only an operator's own test system may be
 * on loopback.
 */
function isGuideAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.username || url.password || url.search || url.hash) return false;
  return isOutward(url) || (/^https?:$/.test(url.protocol) && isLoopback(text));
}
