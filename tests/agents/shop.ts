import type { Marketplace } from '../../src/connectors/contract.ts';
import { STREAMS } from '../../src/connectors/contract.ts';
import { recordSettlements } from '../../src/features/balances/index.ts';
import { recordCfdis, setFiscalProfile } from '../../src/features/cfdi/index.ts';
import { annotateOrders, recordLedgers } from '../../src/features/ledger/index.ts';
import type { Order } from '../../src/features/orders/index.ts';
import { decimal } from '../../src/platform/money.ts';
import { anOrder, type TestApp } from '../support/app.ts';
import { aCertificate, aCfdi, folioOf } from '../support/cfdi-files.ts';
import { readCfdi } from '../support/read-cfdi.ts';
import {
  balance,
  filled,
  invoice,
  invoices,
  level,
  parcel,
  related,
  shipments,
  stock,
} from '../support/read-rows.ts';
import { connected } from '../support/reading.ts';

// The shop that the golden questions are about. Nothing in it is random, and its clock stands at
// 2026-11-17T00:00:00Z.

const CONNECTION = '019a0000-0000-7000-8000-000000000003';

/** Where orders come from, in turn. */
const ACCOUNTS: readonly { marketplace: Marketplace; accountId: string }[] = [
  { marketplace: 'mercado_libre', accountId: '468424240' },
  { marketplace: 'amazon', accountId: 'A1' },
  { marketplace: 'walmart', accountId: 'W1' },
  { marketplace: 'shopify', accountId: 'tienda.myshopify.com' },
  { marketplace: 'liverpool', accountId: 'L1' },
];
const STATUSES = [
  'paid',
  'ready_to_ship',
  'pending',
  'cancelled',
  'delivered',
  'returned',
  'shipped',
] as const;
const GOODS = [
  ['TAZA-AZUL', 'Taza azul'],
  ['VASO-ROJO', 'Vaso rojo'],
  ['PLATO-HONDO', 'Plato hondo'],
] as const;
const BUYERS = ['Lucía Ramírez Ortega', 'Juan Pérez Soto', 'Marta Núñez'];

/** Forty orders of four weeks, and all that is known besides them. */
export async function fillShop(instance: TestApp): Promise<void> {
  const walked = { synced: STREAMS };
  await connected(instance, 'amazon', { accountId: 'A1', state: 'reauth_required', ...walked });
  await connected(instance, 'liverpool', { accountId: 'L1', state: 'disconnected', ...walked });
  await connected(instance, 'paquetexpress', { accountId: '88', state: 'delayed', ...walked });
  await connected(instance, 'walmart', { accountId: 'W1', state: 'delayed', ...walked });
  instance.clock.advance({ hours: 6 });
  await connected(instance, 'mercado_libre', { accountId: '468424240', ...walked });
  await connected(instance, 'shopify', { accountId: 'tienda.myshopify.com', ...walked });
  await connected(instance, 'zipnova', { accountId: '77', ...walked });
  await instance.record(Array.from({ length: 40 }, (_, at) => orderOf(at)));
  await fillStock(instance);
  await fillDocuments(instance);
  await fillUploads(instance);
  await fillBalances(instance);
  await fillPayout(instance);
  await fillShipments(instance);
}

function orderOf(at: number): Order {
  const [sku, title] = GOODS[at % GOODS.length] ?? GOODS[0];
  const [item] = anOrder().items as [Order['items'][number]];
  const status = STATUSES[at % STATUSES.length] ?? 'paid';
  const dateCreated = Temporal.Instant.from('2026-10-20T15:00:00Z').add({ hours: 16 * at });
  const currency = at % 9 === 0 ? 'USD' : 'MXN';
  const total = decimal(`${100 + at * ((at % GOODS.length) + 1)}.50`);
  return anOrder({
    ...(ACCOUNTS[at % ACCOUNTS.length] ?? ACCOUNTS[0]),
    id: String(2_000_000_000_000_001 + at),
    status,
    currency,
    total,
    buyerName: BUYERS[at % BUYERS.length] ?? null,
    items: [{ ...item, sku, title, currency, quantity: 1, unitPrice: total, subtotal: total }],
    refunds:
      status === 'returned'
        ? [{ amount: decimal('40.25'), at: dateCreated.add({ hours: 1 }) }]
        : [],
    dateCreated,
  });
}

async function fillStock(instance: TestApp): Promise<void> {
  const at = (index: number) => ({
    ...(ACCOUNTS[index] as (typeof ACCOUNTS)[0]),
    connectionId: CONNECTION,
  });
  const [taza, vaso, plato] = GOODS.map(([sku, title]) => ({ sku, title })) as [
    Goods,
    Goods,
    Goods,
  ];
  await stock(instance, at(0), [
    level(taza.sku, { ...taza, available: 14 }),
    level(vaso.sku, { ...vaso, available: 3, warehouse: 'marketplace' }),
    level(plato.sku, { ...plato, available: 0 }),
  ]);
  await stock(instance, at(1), [level(vaso.sku, { ...vaso, available: 7 })]);
  await stock(instance, at(3), [
    level(taza.sku, { ...taza, available: 5 }),
    level(plato.sku, { ...plato, available: 22 }),
  ]);
}

interface Goods {
  readonly sku: string;
  readonly title: string;
}

const UUID = '5F0C1E0A-7F0D-4C37-9A0C-1F2E3D4C5B6A';

async function fillDocuments(instance: TestApp): Promise<void> {
  const source = { ...(ACCOUNTS[0] as (typeof ACCOUNTS)[0]), connectionId: CONNECTION };
  const issuedAt = (day: string) => Temporal.Instant.from(`2026-11-${day}T16:00:00Z`);
  await invoices(
    instance,
    [
      invoice('D1', { uuid: UUID, orderIds: ['2000000000000008'], issuedAt: issuedAt('03') }),
      invoice('D2', { orderIds: ['2000000000000011'], issuedAt: issuedAt('05') }),
      invoice('D3', { orderIds: ['2000000000000002'], issuedAt: issuedAt('09') }),
    ],
    source,
  );
  const issuer = 'AAA010101AAA';
  await filled(instance, 'D1', {
    type: 'ingreso',
    status: 'vigente',
    issuer,
    receiver: 'XAXX010101000',
    total: '107.50',
  });
  await filled(instance, 'D2', {
    type: 'egreso',
    status: 'cancelado',
    issuer,
    receiver: 'GODE561231GR8',
    total: '110.50',
  });
  await filled(instance, 'D3', {
    type: 'ingreso',
    status: 'vigente',
    issuer,
    receiver: 'GODE561231GR8',
    total: '101.50',
  });
}

/** A CFDI of an order, one of the marketplace's fees, and a withholding certificate. */
async function fillUploads({ app, organization }: TestApp): Promise<void> {
  const marketplace = 'MKT010101AA1';
  const files = [
    aCfdi({ uuid: folioOf(26), total: '150.50', sku: PAID_ORDERS[0], receiver: 'COMP800101AB1' }),
    aCfdi({ uuid: folioOf(90), total: '42.00', issuer: marketplace, receiver: 'AAA010101AAA' }),
    aCertificate({ uuid: folioOf(91) }),
  ].map((text) => {
    const xml = Buffer.from(text);
    return readCfdi(xml);
  });
  const profile = { person: 'legal', regime: '601', hasBorderVat: false } as const;
  await app.database.within(organization.id).write(async (scope) => {
    await recordCfdis(scope, 'upload', files, app.exchange.orderListeners);
    await setFiscalProfile(scope, 'operator', { ...profile, rfcs: ['AAA010101AAA'] });
  });
}

const PAID_ORDERS = ['2000000000000026', '2000000000000021'] as const;

/** What Mercado Libre paid last: two orders less its commission and what it withheld. */
async function fillPayout({ app, organization }: TestApp): Promise<void> {
  const source = { ...(ACCOUNTS[0] as (typeof ACCOUNTS)[0]), connectionId: CONNECTION };
  const paidAt = Temporal.Instant.from('2026-11-12T18:00:00Z');
  const amounts = [
    ['sale', '150.50', '160.50'],
    ['commission', '-20.00', '-22.00'],
    ['isr', '-3.24', '-3.46'],
    ['iva', '-10.38', '-11.07'],
  ] as const;
  const movements = PAID_ORDERS.flatMap((orderId, at) =>
    amounts.map(([kind, ...of]) => ({
      ...{ key: `${orderId} ${kind}`, kind, amount: decimal(of[at] ?? '0'), currency: 'MXN' },
      ...{ at: paidAt, nativeType: kind, orderId, payoutId: PAYOUT.id, isOpen: false },
    })),
  );
  const payout = { key: PAYOUT.id, kind: 'payout', amount: decimal('-240.85') } as const;
  const given = { ...{ currency: 'MXN', at: paidAt, nativeType: 'payout', orderId: null } };
  const all = [...movements, { ...payout, ...given, payoutId: PAYOUT.id, isOpen: false }];
  await app.database.within(organization.id).write(async (scope) => {
    await recordSettlements(scope, source, [{ ...PAYOUT, paidAt }], { announce: false });
    await recordLedgers(scope, source, [
      { id: 'R1', report: 'release', movements: all, covers: null, changedAt: null, opening: null },
    ]);
    await annotateOrders(scope, () => app.exchange.orderListeners, PAID_ORDERS.length);
  });
}

const PAYOUT = {
  id: '7001',
  status: 'paid',
  ...{ marketplaceStatus: 'payout', currency: 'MXN' },
  ...{ gross: null, fees: null, net: decimal('240.85'), from: null, to: null },
  ...{ reference: null, changedAt: null, raw: '{}' },
} as const;

async function fillBalances(instance: TestApp): Promise<void> {
  const releases = [
    { at: Temporal.Instant.from('2026-11-20T06:00:00Z'), amount: decimal('310.25') },
  ];
  await balance(instance, 'mercado_libre', '468424240', {
    available: decimal('1500.50'),
    pending: decimal('310.25'),
    releases,
  });
  await balance(instance, 'amazon', 'A1', { pending: decimal('842.10') });
  await balance(instance, 'zipnova', '77', {
    available: decimal('950'),
    balance: decimal('450'),
    creditLimit: decimal('500'),
  });
}

async function fillShipments(instance: TestApp): Promise<void> {
  await shipments(instance, 'zipnova', [
    parcel('Z1', {
      trackingNumber: '605',
      category: 'EN_TRANSITO',
      relations: [related('2000000000000001')],
    }),
    parcel('Z2', {
      trackingNumber: '606',
      category: 'ENTREGADO',
      relations: [related('2000000000000002')],
    }),
    parcel('Z3', {
      trackingNumber: '607',
      category: 'INCIDENCIA',
      relations: [related('2000000000000034')],
    }),
  ]);
  await shipments(instance, 'paquetexpress', [
    parcel('P1', {
      trackingNumber: '608',
      category: 'ENTREGADO',
      relations: [related('2000000000000040')],
    }),
  ]);
}
