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
import type { AccountSource } from '../../src/features/connections/index.ts';
import { recordStock } from '../../src/features/inventory/index.ts';
import { recordShipments } from '../../src/features/shipments/index.ts';
import type { WriteScope } from '../../src/platform/db/database.ts';
import type { Rows } from '../../src/platform/db/schema.ts';
import { decimal } from '../../src/platform/money.ts';
import type { TestApp } from './app.ts';

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

/** What reading a document's XML, and asking the SAT, is going to tell of it. */
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
  const values = {
    type,
    status,
    issuer_rfc: issuer,
    receiver_rfc: receiver,
    total,
    currency: 'MXN',
    read_at: instance.clock.now().toString(),
  };
  await write(instance, (scope) =>
    scope.rows(scope.update('invoice_documents').set(values).where('id', '=', id)),
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
