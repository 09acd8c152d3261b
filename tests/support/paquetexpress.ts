/**
 * Parcels at the Paquetexpress simulator, the address of its webhooks, and what only the database
 * knows of them.
 */
import {
  type Paquetexpress,
  type PaquetexpressOptions,
  startPaquetexpress,
} from '../../simulators/paquetexpress/index.ts';
import type { GuideRequest } from '../../src/carriers/contract.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { webhookAddress } from '../../src/exchange/connect/event-address.ts';
import { applyCarrierEvents } from '../../src/exchange/webhooks/apply-carrier-events.ts';
import type { Organization } from '../../src/features/organizations/index.ts';
import { unsettledOrganizations } from '../../src/features/shipments/index.ts';
import { decimal } from '../../src/platform/money.ts';
import type { TestApp } from './app.ts';
import type { TurnedClock } from './clock.ts';
import { query } from './market.ts';

export interface Sender {
  readonly organization: Organization;
  readonly carrier: Paquetexpress;
  readonly connectionId: string;
  /** Where the carrier sends webhooks, with its secret. */
  readonly address: string;
}

export interface PushAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any;
}

/** An organisation of its own whose account is connected, and nothing was read yet. */
export async function openSender(
  instance: TestApp,
  t: { after(close: () => Promise<void>): void },
  options: PaquetexpressOptions = {},
): Promise<Sender> {
  return openSenderOf((await instance.tenant()).organization, instance, t, options);
}

/** Connects an account of this organisation. */
export async function openSenderOf(
  organization: Organization,
  instance: TestApp,
  t: { after(close: () => Promise<void>): void },
  options: PaquetexpressOptions = {},
): Promise<Sender> {
  const carrier = await startCarrier(t, instance.clock, options);
  const address = await addressOf(instance, organization);
  const connectionId = await connectCarrier(instance, organization.id, carrier);
  return { organization, carrier, connectionId, address };
}

export async function startCarrier(
  t: { after(close: () => Promise<void>): void },
  clock: TurnedClock,
  options: PaquetexpressOptions = {},
): Promise<Paquetexpress> {
  const carrier = await startPaquetexpress({
    now: () => clock.now().epochMilliseconds,
    ...options,
  });
  t.after(carrier.close);
  return carrier;
}

export async function connectCarrier(
  { app: instance }: TestApp,
  organizationId: string,
  carrier: Paquetexpress,
): Promise<string> {
  const typed = { organizationId, credentials: carrier.credentials(), baseUrl: carrier.url };
  return (await connect(instance.exchange, { ...typed, service: 'paquetexpress' })).connectionId;
}

/** The organisation's address at this instance, wherever its public address is. */
export async function addressOf(
  { app: instance, url }: TestApp,
  organization: Organization,
  { rotate = false } = {},
): Promise<string> {
  const reported = await webhookAddress(instance.exchange, organization, 'paquetexpress', {
    rotate,
  });
  const { pathname, search } = new URL(reported);
  return `${url}${pathname}${search}`;
}

export async function push(
  address: string,
  body: unknown,
  init: RequestInit = {},
): Promise<PushAnswer> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** Lets follow what follows from webhooks, as the worker does each second. */
export async function settled({ app: instance }: TestApp): Promise<void> {
  const waiting = await instance.database.read(unsettledOrganizations);
  for (const organizationId of waiting) await applyCarrierEvents(instance.exchange, organizationId);
}

/** States of the organisation's parcels, by tracking number. */
export async function parcelsAt(
  instance: TestApp,
  organizationId: string,
): Promise<
  Record<string, { state: string; category: string; final: boolean; delivered: boolean }>
> {
  const rows = await query(
    instance,
    `select id, carrier_status as state, category, is_final as final, delivered_at is not null as delivered
       from shipments where organization_id = $1 order by id`,
    [organizationId],
  );
  return Object.fromEntries(rows.map(({ id, ...row }) => [id, row])) as never;
}

export async function eventsAt(instance: TestApp, organizationId: string): Promise<string[]> {
  const rows = await query(
    instance,
    `select tracking_number, code, source, shipment_id is not null as linked from shipment_events
      where organization_id = $1 order by occurred_at, seq`,
    [organizationId],
  );
  return rows.map(({ code, source, linked }) => `${code} ${source}${linked ? '' : ' orphan'}`);
}

export async function receiptsAt(instance: TestApp, organizationId: string): Promise<string[]> {
  const rows = await query(
    instance,
    `select code, linked, duplicate from carrier_receipts where organization_id = $1 order by received_at, code, duplicate`,
    [organizationId],
  );
  return rows.map(
    ({ code, linked, duplicate }) =>
      `${code}${linked ? ' linked' : ''}${duplicate ? ' duplicate' : ''}`,
  );
}

/** Events sent to customers, oldest first. */
export async function emittedEvents(instance: TestApp, organizationId: string): Promise<string[]> {
  const rows = await query(
    instance,
    `select type, data::json ->> 'status' as status from events
      where organization_id = $1 and type like 'shipment.%' order by created_at, id`,
    [organizationId],
  );
  return rows.map(({ type, status }) => `${type} ${status}`);
}

/** Everything that a guide needs. */
export function aGuide(reference: string): GuideRequest {
  const address = {
    name: 'Remedios Varo',
    country: 'MEXICO',
    state: 'PUEBLA',
    municipality: 'PUEBLA',
    city: 'PUEBLA',
    colony: 'CENTRO',
    street: '5 de Mayo',
    number: '7',
    zipcode: '72000',
    phone: '2220000000',
    email: null,
  };
  return {
    reference,
    origin: address,
    destination: address,
    destinationTaxId: 'XAXX010101000',
    packages: 1,
    weightKg: decimal('12.5'),
    lengthCm: decimal('190'),
    widthCm: decimal('40'),
    heightCm: decimal('40'),
    packageCode: '3',
    content: 'COLCHON',
    deliveryType: '2',
    paymentForm: 'PAID',
    acknowledgement: 'N',
    coverage: 'N',
    serviceType: 'ST',
    productId: '56101508',
    comments: null,
  };
}
