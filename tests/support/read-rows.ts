/** What marketplaces and carriers tell, and how it is recorded, for tests of what is read. */
import type {
  Carrier,
  ChannelRelation,
  ServiceSlug,
  SourceShipment,
} from '../../src/carriers/contract.ts';
import type { SourceBalance, SourceInvoice, SourceStock } from '../../src/connectors/contract.ts';
import { recordBalances } from '../../src/features/balances/index.ts';
import { recordInvoices } from '../../src/features/cfdi/index.ts';
import { linkReported } from '../../src/features/cfdi/store-links.ts';
import type { AccountSource } from '../../src/features/connections/index.ts';
import { recordStock } from '../../src/features/inventory/index.ts';
import { recordShipments } from '../../src/features/shipments/index.ts';
import type { WriteScope } from '../../src/platform/db/database.ts';
import type { Rows } from '../../src/platform/db/schema.ts';
import { decimal } from '../../src/platform/money.ts';
import type { TestApp } from './app.ts';
import { query } from './market.ts';

export const SHOP = {
  marketplace: 'shopify',
  accountId: 'tienda.myshopify.com',
  connectionId: '019a0000-0000-7000-8000-000000000001',
} as const;
export const FULL = {
  marketplace: 'mercado_libre',
  accountId: '468424241',
  connectionId: '019a0000-0000-7000-8000-000000000002',
} as const;

export function level(sku: string, given: Partial<SourceStock> = {}): SourceStock {
  return {
    itemId: `item ${sku}`,
    variationId: '',
    warehouse: 'seller',
    sku,
    title: `Título de ${sku}`,
    available: 1,
    unavailable: 0,
    ...given,
  };
}

export function invoice(id: string, given: Partial<SourceInvoice> = {}): SourceInvoice {
  return {
    id,
    orderIds: [`orden ${id}`],
    fileName: `${id}.xml`,
    uuid: null,
    xml: null,
    url: null,
    issuedAt: null,
    ...given,
  };
}

export function parcel(id: string, given: Partial<SourceShipment> = {}): SourceShipment {
  return {
    id,
    trackingNumber: `R${id}`,
    guideNumber: null,
    category: 'PREPARACION',
    carrierStatus: 'nuevo',
    isFinal: false,
    isDamaged: false,
    isReturn: false,
    parentId: null,
    finalCarrier: null,
    serviceType: null,
    cost: null,
    currency: 'MXN',
    declaredValue: null,
    createdAt: Temporal.Instant.from('2026-11-15T00:00:00Z'),
    pickedUpAt: null,
    deliveredAt: null,
    estimatedDelivery: null,
    origin: null,
    destination: null,
    packages: [
      {
        sku: 'TAZA',
        content: 'Tazas',
        quantity: 1,
        weightKg: decimal('1.5'),
        lengthCm: null,
        widthCm: null,
        heightCm: null,
      },
    ],
    orderReference: null,
    relations: [],
    events: [],
    details: null,
    changedAt: null,
    fetchedAt: Temporal.Instant.from('2026-11-16T18:00:00Z'),
    raw: '{}',
    ...given,
  };
}

export function related(orderId: string): ChannelRelation {
  return { channel: null, orderId, packId: null, tags: [] };
}

function write<T>(
  { app: instance, organization }: TestApp,
  work: (scope: WriteScope) => Promise<T>,
): Promise<T> {
  return instance.database.within(organization.id).write(work);
}

export function stock(instance: TestApp, source: AccountSource, levels: SourceStock[]) {
  const sighting = { seenAt: instance.clock.now(), announce: false };
  return write(instance, (scope) => recordStock(scope, source, levels, sighting));
}

export function invoices(instance: TestApp, given: SourceInvoice[], source: AccountSource = FULL) {
  return write(instance, (scope) => recordInvoices(scope, source, given));
}

/** What reading a document's XML, and asking the SAT, tell of it. */
export async function filled(
  instance: TestApp,
  id: string,
  {
    type,
    status,
    issuer,
    receiver,
    total = '100',
  }: Pick<Rows['invoice_documents'], 'type' | 'status'> &
    Record<'issuer' | 'receiver', string> & { total?: string },
): Promise<void> {
  const organization = instance.organization.id;
  const now = instance.clock.now().toString();
  const facts = [organization, id, now, type, status, issuer, receiver, total];
  await query(
    instance,
    `update invoice_documents
        set read_at = $3, type = $4, status = $5, issuer_rfc = $6, receiver_rfc = $7, total = $8,
            currency = 'MXN', uuid = coalesce(uuid, upper(gen_random_uuid()::text)),
            issued_at = coalesce(issued_at, $3)
      where organization_id = $1 and id = $2`,
    facts,
  );
  await query(
    instance,
    `insert into cfdis (organization_id, uuid, kind, type, status, issuer_rfc, receiver_rfc, total,
       currency, issued_at, source, recorded_at, record_box, xml_box)
     select organization_id, uuid, 'cfdi', type, status, issuer_rfc, receiver_rfc, total, currency,
       issued_at, marketplace, $3, '', ''
       from invoice_documents where organization_id = $1 and id = $2`,
    facts.slice(0, 3),
  );
  const rows = await query(
    instance,
    'select uuid from invoice_documents where organization_id = $1 and id = $2',
    facts.slice(0, 2),
  );
  await write(instance, (scope) =>
    linkReported(
      scope,
      rows.map(({ uuid }) => String(uuid)),
    ),
  );
}

export function shipments(instance: TestApp, carrier: Carrier, given: SourceShipment[]) {
  const source = { carrier, accountId: '77', connectionId: SHOP.connectionId };
  return write(instance, (scope) =>
    recordShipments(scope, source, given, { announce: false, listeners: [] }),
  );
}

export function balance(
  instance: TestApp,
  service: ServiceSlug,
  accountId: string,
  given: Partial<SourceBalance>,
) {
  const source = { service, accountId, connectionId: SHOP.connectionId };
  const reported = {
    purse: '',
    currency: 'MXN',
    available: null,
    pending: null,
    asOf: instance.clock.now(),
    isDerived: false,
    ...given,
  };
  return write(instance, (scope) => recordBalances(scope, source, [reported], { announce: false }));
}
