import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { post } from '../load.ts';
import { type Served, start } from '../processes.ts';
import {
  ADDRESS,
  caller,
  callOf,
  connectionOf,
  copyRows,
  type Ground,
  install,
  type KnownPeer,
  originals,
} from './known.ts';

const VERSION = '3.7.3';
const API = '/admin-api';
const ADMIN = { identifier: 'bench', password: 'only-on-loopback' };
/** What our own list shows. */
const LIST = `{orders(options: {take: 50, sort: {orderPlacedAt: DESC}}) {totalItems items {
  id code state currencyCode orderPlacedAt updatedAt subTotalWithTax shippingWithTax totalWithTax
  customer {firstName lastName emailAddress}
  shippingAddress {fullName streetLine1 city province postalCode countryCode}
  lines {id quantity unitPriceWithTax linePriceWithTax productVariant {sku name}}
}}}`;

/** Vendure's core, without plugins. */
export async function openVendure({ folder, url, client }: Ground): Promise<KnownPeer> {
  await install(folder, { '@vendure/core': VERSION, pg: '8.16.3' });
  const open = async (firstRequest: Buffer, makesSchema = false) => {
    await writeFile(join(folder, 'server.js'), programOf(url, makesSchema));
    return start({
      program: process.execPath,
      args: ['server.js'],
      folder,
      environment: { NODE_ENV: 'production', VENDURE_DISABLE_TELEMETRY: 'true' },
      firstRequest,
      logFile: join(folder, 'vendure.log'),
    });
  };
  const { key, token } = await open(post(API, query('{__typename}')), true).then(fill);
  await copyRows(client, {
    order: {
      id: ofCopy('id'),
      code: "code || '-' || n",
      state: "'PaymentSettled'",
      '"orderPlacedAt"': `"createdAt" - n * interval '1 hour'`,
    },
    order_channels_channel: { '"orderId"': ofCopy('"orderId"') },
    order_line: { id: ofCopy('id'), '"orderId"': ofCopy('"orderId"') },
  });
  await client.query(
    `update "order" set state = 'PaymentSettled', "orderPlacedAt" = "createdAt" where state = 'Draft'`,
  );
  const withKey = post(API, query(LIST), { 'vendure-api-key': key });
  return {
    name: `Vendure ${VERSION}`,
    withKey,
    fastest: post(API, query(LIST), { authorization: token }),
    itemsOf: (body) =>
      (JSON.parse(body).data.orders.items as { lines: unknown[] }[]).map(
        ({ lines }) => lines.length,
      ),
    start: () => open(withKey),
  };
}

/** Its identifiers are numbers; the originals have less than a thousand of any kind. */
function ofCopy(column: string): string {
  return `${column} + n * 1000`;
}

function query(text: string, variables = {}): string {
  return JSON.stringify({ query: text, variables });
}

function programOf(url: string, makesSchema: boolean): string {
  const config = {
    authOptions: { tokenMethod: ['bearer', 'api-key'], superadminCredentials: ADMIN },
    dbConnectionOptions: { type: 'postgres', ...connectionOf(url), synchronize: makesSchema },
    paymentOptions: { paymentMethodHandlers: [] },
  };
  const api = `{ hostname: '127.0.0.1', port: Number(process.env.PORT) }`;
  const given = `{ ...${JSON.stringify(config)}, apiOptions: ${api} }`;
  return callOf('@vendure/core', 'bootstrap', given);
}

/** @returns an API key, and what the header `authorization` is with a session's token */
async function fill(served: Served): Promise<{ key: string; token: string }> {
  await using server = served;
  const { headers, send } = caller(server.port);
  /** One mutation. `given` has each argument's type and value; `fields` are those of its answer. */
  const mutate: Mutate = async (name, given, fields = '{id}') => {
    const types = Object.entries(given).map(([argument, [type]]) => `$${argument}: ${type}`);
    const passed = Object.keys(given).map((argument) => `${argument}: $${argument}`);
    const [head, call] = [types, passed].map((each) => (each.length > 0 ? `(${each.join()})` : ''));
    const text = `mutation${head} {${name}${call} ${fields}}`;
    const values = Object.entries(given).map(([argument, [, value]]) => [argument, value]);
    const answer = await send(API, JSON.parse(query(text, Object.fromEntries(values))));
    const token = answer.headers.get('vendure-auth-token');
    if (token) headers.authorization = `Bearer ${token}`;
    const { data, errors } = answer.body;
    const refusal = errors?.[0].message ?? data[name].message;
    if (refusal) throw new Error(`${name}: ${refusal}`);
    return data[name];
  };
  await mutate(
    'login',
    { username: ['String!', ADMIN.identifier], password: ['String!', ADMIN.password] },
    '{... on CurrentUser {id} ... on ErrorResult {message}}',
  );
  const name = [{ languageCode: 'en', name: 'bench' }];
  const { apiKey } = await mutate(
    'createApiKey',
    // The first role is that of the super admin.
    { input: ['CreateApiKeyInput!', { roleIds: ['1'], translations: name }] },
    '{apiKey}',
  );
  const taxCategoryId = await openShop(mutate, name);
  await order(mutate, taxCategoryId);
  return { key: apiKey as string, token: headers.authorization as string };
}

type Mutate = (
  name: string,
  given: Readonly<Record<string, readonly [type: string, value: unknown]>>,
  fields?: string,
) => Promise<Record<string, string>>;

/** Prices in pesos, with the tax of Mexico. @returns the tax category of all goods */
async function openShop(mutate: Mutate, name: unknown): Promise<unknown> {
  const create = async (kind: string, input: unknown) =>
    (await mutate(`create${kind}`, { input: [`Create${kind}Input!`, input] })).id;
  const memberId = await create('Country', { code: 'MX', enabled: true, translations: name });
  const zoneId = await create('Zone', { name: 'México', memberIds: [memberId] });
  const channel = {
    id: '1',
    defaultTaxZoneId: zoneId,
    defaultShippingZoneId: zoneId,
    defaultCurrencyCode: 'MXN',
    availableCurrencyCodes: ['MXN'],
    pricesIncludeTax: true,
  };
  const updated = '{... on Channel {id} ... on ErrorResult {message}}';
  await mutate('updateChannel', { input: ['UpdateChannelInput!', channel] }, updated);
  const categoryId = await create('TaxCategory', { name: 'IVA', isDefault: true });
  await create('TaxRate', { name: 'IVA', enabled: true, value: 16, categoryId, zoneId });
  return categoryId;
}

async function order(mutate: Mutate, taxCategoryId: unknown): Promise<void> {
  const orders = originals();
  const goods = new Map(orders.flatMap(({ items }) => items.map((item) => [item.sku, item])));
  const variants = new Map<string | null, unknown>();
  for (const [sku, { title, unitPrice }] of goods) {
    const named = { languageCode: 'en', name: title };
    const product = { enabled: true, translations: [{ ...named, slug: sku, description: title }] };
    const { id: productId } = await mutate('createProduct', {
      input: ['CreateProductInput!', product],
    });
    const price = Math.round(Number(unitPrice) * 100);
    const variant = { productId, sku, price, taxCategoryId, translations: [named] };
    const stocked = { ...variant, stockOnHand: 1_000_000 };
    const made = await mutate('createProductVariants', {
      input: ['[CreateProductVariantInput!]!', [stocked]],
    });
    variants.set(sku, (made[0] as unknown as { id: string }).id);
  }
  const customer = { firstName: 'Lucía', lastName: 'Ramírez', emailAddress: 'lucia@example.com' };
  const created = '{... on Customer {id} ... on ErrorResult {message}}';
  const { id: customerId } = await mutate(
    'createCustomer',
    { input: ['CreateCustomerInput!', customer] },
    created,
  );
  const changed = '{... on Order {id} ... on ErrorResult {message}}';
  for (const { items } of orders) {
    const { id } = await mutate('createDraftOrder', {});
    const orderId = ['ID!', id] as const;
    for (const { sku } of items) {
      const item = { productVariantId: variants.get(sku), quantity: 1 };
      await mutate(
        'addItemToDraftOrder',
        { orderId, input: ['AddItemToDraftOrderInput!', item] },
        changed,
      );
    }
    await mutate('setCustomerForDraftOrder', { orderId, customerId: ['ID', customerId] }, changed);
    await mutate('setDraftOrderShippingAddress', {
      orderId,
      input: ['CreateAddressInput!', SHIPPING],
    });
  }
}

const SHIPPING = {
  fullName: ADDRESS.name,
  streetLine1: ADDRESS.street,
  city: ADDRESS.city,
  province: ADDRESS.state,
  postalCode: ADDRESS.zip,
  countryCode: 'MX',
};
