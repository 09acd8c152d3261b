import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startMercadoLibre } from '../../simulators/mercado_libre/index.ts';
import { openApp } from '../support/app.ts';
import { assertExplained } from '../support/explained.ts';

// Official sample documents are read where SAMPLES_DIR names a folder with them; none is part of
// the project.

const FOLDER = process.env.SAMPLES_DIR
  ? join(process.env.SAMPLES_DIR, 'marketplaces/mercado_libre/examples')
  : '';
const skip = existsSync(FOLDER) ? false : 'SAMPLES_DIR names no folder with official documents';

/** An order document, as far as the expectations go. */
interface Sample {
  readonly id: number | string;
  readonly date_created: string;
  readonly date_closed: string | null;
  readonly total_amount: number;
  readonly currency_id: string;
  readonly status: string;
  readonly pack_id?: number | null;
  readonly shipping?: { readonly id: number | null };
  readonly tags: readonly string[];
  readonly order_items: readonly {
    readonly item: { readonly id: string; readonly title: string };
    readonly quantity: number;
    readonly unit_price: number;
    readonly gross_price?: number;
    readonly discounts?: readonly {
      readonly amounts: { readonly full: number; readonly seller: number };
    }[];
  }[];
}

interface ShipmentSample {
  readonly id: number;
  readonly status: string;
  readonly destination?: { readonly receiver_name?: string };
}

test('every official Mercado Libre order document comes out of the API as the order that it describes', {
  skip,
}, async (t) => {
  const documents = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => unwrap(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))));
  const samples = documents.flatMap(ordersIn);
  const shipments = documents.filter(isShipment);
  const instance = await openApp(t);
  const shop = await startMercadoLibre({
    now: () => instance.clock.now().epochMilliseconds,
    replay: FOLDER,
  });
  t.after(shop.close);

  await instance.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });
  const [orders] = await instance.sync();

  assert.equal(orders?.unreadable, 0);
  const read = [];
  for (const sample of samples) {
    const { status, body } = await instance.api(`/v1/orders/${sample.id}`);
    assert.equal(status, 200, `order ${sample.id}`);
    assertDescribes(
      body.data,
      sample,
      shipments.find(({ id }) => id === sample.shipping?.id),
    );
    read.push(body.data);
  }
  assert.ok(samples.length > 0);
  t.diagnostic(`mercado_libre: ${samples.length} of ${samples.length} order documents read`);
  assertExplained(t, 'mercado_libre', read);
});

// biome-ignore lint/suspicious/noExplicitAny: answers that the contract is held against
function assertDescribes(order: any, sample: Sample, shipment: ShipmentSample | undefined): void {
  assert.equal(order.id, String(sample.id));
  assert.equal(order.total, sample.total_amount);
  assert.equal(order.currency, sample.currency_id);
  assert.equal(order.marketplace_status, sample.status);
  assert.equal(order.status, shipment?.status === 'shipped' ? 'shipped' : 'paid');
  assert.equal(Date.parse(order.date_created), Date.parse(sample.date_created));
  assert.equal(Date.parse(order.date_closed), Date.parse(sample.date_closed ?? ''));
  assert.deepEqual(
    order.items.map((item: { id: string; title: string; quantity: number; unit_price: number }) => [
      item.id,
      item.title,
      item.quantity,
      item.unit_price,
    ]),
    sample.order_items.map(({ item, quantity, unit_price }) => [
      item.id,
      item.title,
      quantity,
      unit_price,
    ]),
  );
  const [line] = sample.order_items;
  assert.equal(
    order.items[0].list_price,
    line?.gross_price ? line.gross_price / line.quantity : null,
  );
  assert.equal(order.marketplace_discount_total, line?.discounts ? marketplacePart(line) : null);
  assert.equal(order.channel_relations.pack_id, sample.pack_id ? String(sample.pack_id) : null);
  assert.deepEqual(order.channel_relations.tags, sample.tags);
  const [first, second] = shipment?.destination?.receiver_name?.split(' ') ?? [];
  assert.equal(order.buyer_name, first ? `${first} ${second?.[0]}.` : null);
}

function marketplacePart({ discounts = [], quantity }: Sample['order_items'][number]): number {
  return discounts.reduce(
    (sum, { amounts }) => sum + (amounts.full - amounts.seller) * quantity,
    0,
  );
}

/** Some documents are an answer with its status and headers around it. */
function unwrap(document: object): object {
  return '_http' in document && 'body' in document ? (document.body as object) : document;
}

function ordersIn(document: object): Sample[] {
  if ('order_items' in document) return [document as Sample];
  const results = 'results' in document && Array.isArray(document.results) ? document.results : [];
  return results.filter((row) => typeof row === 'object' && 'order_items' in row);
}

function isShipment(document: object): document is ShipmentSample {
  return 'logistic' in document || 'receiver_address' in document;
}
