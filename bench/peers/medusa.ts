import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { get } from '../load.ts';
import { run, start } from '../processes.ts';
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

const VERSION = '2.21.2';
const CLI = 'node_modules/@medusajs/cli/cli.js';
const USER = { email: 'bench@example.com', password: 'only-on-loopback' };
/** The list's own fields, all items and totals with them; and the address. */
const LIST = '/admin/orders?limit=50&fields=*shipping_address,%2Bemail,%2Bcurrency_code';

/** What our own list shows. */
const SHOWN = [
  'display_id,status,currency_code,email,total,created_at,updated_at',
  'items.title,items.variant_sku,items.quantity,items.unit_price',
  'shipping_address.*',
];
const LEAST = `/admin/orders?limit=50&fields=${SHOWN.join()}`;

/** Medusa with its default modules and without its panel. */
export async function openMedusa({ folder, url, client }: Ground): Promise<KnownPeer> {
  const packages = ['@medusajs/medusa', '@medusajs/framework', '@medusajs/cli'];
  await install(folder, Object.fromEntries(packages.map((name) => [name, VERSION])));
  await writeFile(join(folder, 'medusa-config.js'), configOf(url));
  const environment = { NODE_ENV: 'production', MEDUSA_DISABLE_TELEMETRY: 'true' };
  const command = (...words: string[]) =>
    run(process.execPath, [CLI, ...words], environment, folder);
  await command('db:migrate');
  await command('user', '-e', USER.email, '-p', USER.password);
  const open = (firstRequest: Buffer) =>
    start({
      program: process.execPath,
      args: [CLI, 'start', '--host', '127.0.0.1'],
      folder,
      environment,
      firstRequest,
      logFile: join(folder, 'medusa.log'),
    });
  const { key, token } = await open(get('/health')).then(fill);
  await copyRows(client, {
    order_address: { id: ofCopy('id') },
    order: {
      id: ofCopy('id'),
      shipping_address_id: ofCopy('shipping_address_id'),
      display_id: 'display_id + n * 1000',
      created_at: "created_at - n * interval '1 hour'",
    },
    order_summary: { id: ofCopy('id'), order_id: ofCopy('order_id') },
    order_line_item: { id: ofCopy('id') },
    order_item: { id: ofCopy('id'), order_id: ofCopy('order_id'), item_id: ofCopy('item_id') },
  });
  const withKey = get(LIST, { authorization: key });
  return {
    name: `Medusa ${VERSION}`,
    withKey,
    fastest: get(LEAST, { authorization: token }),
    itemsOf: (body) =>
      (JSON.parse(body).orders as { items: unknown[] }[]).map(({ items }) => items.length),
    start: () => open(withKey),
  };
}

/** Its identifiers are texts. */
function ofCopy(column: string): string {
  return `${column} || '_' || n`;
}

function configOf(url: string): string {
  const cors = 'http://127.0.0.1';
  const secrets = { jwtSecret: 'bench', cookieSecret: 'bench' };
  const { host } = connectionOf(url);
  const config = {
    admin: { disable: true },
    projectConfig: {
      databaseUrl: url,
      databaseDriverOptions: { connection: { ssl: false, host } },
      http: { storeCors: cors, adminCors: cors, authCors: cors, ...secrets },
    },
  };
  const define = callOf('@medusajs/framework/utils', 'defineConfig', JSON.stringify(config));
  return `module.exports = ${define};\n`;
}

/** @returns what the header `authorization` is, with a key and with a session's token */
async function fill(served: Awaited<ReturnType<typeof start>>) {
  await using server = served;
  const { headers, send } = caller(server.port);
  const post = async (path: string, body: unknown) => (await send(path, body)).body;
  const { token } = await post('/auth/user/emailpass', USER);
  headers.authorization = `Bearer ${token}`;
  const { api_key } = await post('/admin/api-keys', { title: 'bench', type: 'secret' });
  const { region } = await post('/admin/regions', {
    name: 'México',
    currency_code: 'mxn',
    countries: ['mx'],
  });
  const { sales_channel } = await post('/admin/sales-channels', { name: 'bench' });
  const [first_name, last_name] = ADDRESS.name.split(' ');
  for (const { items } of originals()) {
    const { draft_order } = await post('/admin/draft-orders', {
      email: 'lucia@example.com',
      region_id: region.id,
      sales_channel_id: sales_channel.id,
      shipping_address: {
        first_name,
        last_name,
        address_1: ADDRESS.street,
        city: ADDRESS.city,
        province: ADDRESS.state,
        postal_code: ADDRESS.zip,
        country_code: 'mx',
      },
      items: items.map(({ title, sku, unitPrice, quantity }) => ({
        title,
        variant_sku: sku,
        unit_price: Number(unitPrice),
        quantity,
      })),
    });
    await post(`/admin/draft-orders/${draft_order.id}/convert-to-order`, {});
  }
  const basic = Buffer.from(`${api_key.token}:`).toString('base64');
  return { key: `Basic ${basic}`, token: `Bearer ${token}` };
}
