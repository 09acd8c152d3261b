import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MOST_TOKENS, tokensAtMost } from '../src/entrances/mcp/tokens.ts';
import type { Order } from '../src/features/orders/index.ts';
import { anAgent } from './support/agents.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { query } from './support/market.ts';
import { ask, callTool } from './support/mcp.ts';
import { tokensOf } from './support/tokens.ts';

type Item = Order['items'][number];
interface Reported {
  readonly line: string;
  readonly tokens: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any;
}

/** Texts of which a token holds the fewest letters. */
const HOSTILE = {
  'rare letters': 'qxzjkqvjzxkq',
  symbols: '🜚🝆🜿',
  'letters of other alphabets': 'ꙮᚠᛇ߷',
  quotes: '"\\"{',
};

/** A tool's answer as the model reads it. */
async function reported(instance: TestApp, name: string, given: Record<string, unknown> = {}) {
  const { body } = await callTool(instance, await anAgent(instance), name, given);
  const { content, structuredContent, isError } = body.result;
  assert.notEqual(isError, true, content[0].text);
  assert.deepEqual(JSON.parse(content[1].text), structuredContent);
  const tokens = content.reduce(
    (sum: number, { text }: Item & { text: string }) => sum + tokensOf(text),
    0,
  );
  assert.ok(tokens <= MOST_TOKENS, `${name} ${JSON.stringify(given)}: ${tokens} tokens`);
  return { line: content[0].text, tokens, body: structuredContent } as Reported;
}

function lines(count: number, title: string): Item[] {
  const [item] = anOrder().items as [Item];
  return Array.from({ length: count }, (_, at) => ({
    ...item,
    id: `L${at}`,
    title: `${at} ${title}`,
  }));
}

test('a model reads all tools in 8,000 tokens, and how to call them in 3,000', async (t) => {
  const instance = await openApp(t);
  const { tools } = (await ask(instance, await anAgent(instance), 'tools/list')).body.result;

  const all = tokensOf(JSON.stringify(tools));
  const called = tools.map(({ name, description, inputSchema }: Record<string, unknown>) => ({
    name,
    description,
    inputSchema,
  }));

  t.diagnostic(`tools/list: ${all} tokens, ${tokensOf(JSON.stringify(called))} to call them`);
  assert.ok(all <= 8_000, `${all}`);
  assert.ok(tokensOf(JSON.stringify(called)) <= 3_000, `${tokensOf(JSON.stringify(called))}`);
  for (const { description } of tools) assert.match(description, /Devuelve .*por ejemplo/);
});

for (const [kind, text] of Object.entries(HOSTILE))
  test(`pages of orders with ${kind} are cut at 20,000 tokens, and each order comes once`, async (t) => {
    const instance = await openApp(t);
    const ids = Array.from({ length: 60 }, (_, at) => `${2_000_000_000 + at}`);
    await instance.record(ids.map((id) => anOrder({ id, items: lines(4, text.repeat(10)) })));

    const seen: string[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; cursor !== null && page < 40; page++) {
      const { body, line } = await reported(instance, 'list_orders', {
        limit: 200,
        fields: 'full',
        ...(cursor && { cursor }),
      });
      seen.push(...body.data.map(({ id }: Order) => id));
      cursor = body.pagination.next_cursor;
      assert.match(line, new RegExp(`^${body.data.length} órden`.replace('órden', '[oó]rden')));
      assert.match(line, cursor ? /Hay más: .*list_orders con cursor/ : /No hay más\./);
    }

    assert.deepEqual(seen.sort(), ids);
  });

for (const [tool, given] of [
  ['get_order', { id: 'larga' }],
  ['list_orders', { fields: 'full' }],
  ['list_orders', {}],
] as const)
  test(`${tool} ${JSON.stringify(given)} gives an order of 500 lines in parts`, async (t) => {
    const instance = await openApp(t);
    await instance.record([
      anOrder({ id: 'larga', items: lines(500, 'Funda de silicón para teléfono '.repeat(4)) }),
      anOrder({ id: 'zz' }),
    ]);

    const seen: string[] = [];
    const orders = new Set<string>();
    let cursor: string | null = null;
    for (let part = 0; part === 0 || cursor !== null; part++) {
      const { body, line } = await reported(instance, tool, {
        ...given,
        ...(cursor && { cursor }),
      });
      for (const order of [body.data].flat()) {
        orders.add(order.id);
        if (order.id === 'larga') seen.push(...order.items.map(({ title }: Item) => title));
      }
      if (part === 0) assert.match(line, /elementos 1 a \d+ de los 50\d de sus listas\. Hay más/);
      cursor = body.pagination?.next_cursor ?? null;
      assert.ok(part < 20);
    }

    assert.deepEqual(
      seen.map((title) => Number(title.split(' ')[0])),
      Array.from({ length: 500 }, (_, at) => at),
    );
    assert.equal(orders.size, tool === 'get_order' ? 1 : 2);
  });

test('a line that is too large alone comes with its texts cut, and says so', async (t) => {
  const instance = await openApp(t);
  await instance.record([anOrder({ id: 'a', items: lines(3, '🜚'.repeat(6_000)) })]);

  const { line, body } = await reported(instance, 'get_order', { id: 'a' });

  assert.match(line, /elementos 1 a 4 de los 4 de sus listas, con los textos largos cortados en …/);
  assert.equal(body.data.items.length, 3);
  assert.match(body.data.items[0].title, /^0 🜚+…$/u);
});

test('a cursor within an answer belongs to its organisation, tool and arguments', async (t) => {
  const instance = await openApp(t);
  const other = await instance.tenant();
  await instance.record(
    ['a', 'b'].map((id) => anOrder({ id, items: lines(500, 'Funda '.repeat(20)) })),
  );
  const { body } = await reported(instance, 'get_order', { id: 'a' });
  const cursor = body.pagination.next_cursor as string;
  const agent = await anAgent(instance);
  const stranger = await anAgent(instance, { organizationId: other.organization.id });
  const refusals = [
    callTool(instance, stranger, 'get_order', { id: 'a', cursor }),
    callTool(instance, agent, 'get_order', { id: 'b', cursor }),
    callTool(instance, agent, 'list_orders', { cursor }),
    callTool(instance, agent, 'get_account', { cursor }),
    callTool(instance, agent, 'get_order', { id: 'a', cursor: `${cursor.slice(0, -1)}!` }),
  ];

  for (const { body: refused } of await Promise.all(refusals))
    assert.match(refused.result.content[1].text, /"code":"invalid_cursor"/);
  assert.equal((await reported(instance, 'get_order', { cursor })).body.data.id, 'a');
});

test('arguments that are too long together are refused, since cursors repeat them', async (t) => {
  const instance = await openApp(t);
  const account_id = Array.from({ length: 50 }, (_, at) => `${at}`.padEnd(200, 'x'));
  const { body } = await callTool(instance, await anAgent(instance), 'list_orders', { account_id });

  assert.match(body.result.content[0].text, /^Los argumentos juntos admiten hasta 4000 bytes/);
});

test('freshness names the accounts that are not fresh, and the oldest', async (t) => {
  const instance = await openApp(t);
  const states = ['ok', 'ok', 'reauth_required', 'ok', ...Array(300).fill('error')];
  for (const [at, state] of states.entries())
    await query(
      instance,
      `with made as (
         insert into connections (organization_id, id, service, account_id, name, state, created_at, updated_at)
         values ($1, gen_random_uuid(), $2, $3, 'Cuenta', $4, now(), now()) returning organization_id, id)
       insert into streams (organization_id, connection_id, stream, last_sync_at)
       select organization_id, id, 'orders', $5::timestamptz from made`,
      [
        instance.organization.id,
        at < 4 ? 'amazon' : 'walmart',
        `C${at}`,
        state,
        `2026-11-16T17:4${at % 4}:00Z`,
      ],
    );

  const { body, line } = await reported(instance, 'list_orders', { marketplace: ['amazon'] });
  const all = await reported(instance, 'list_orders');
  const account = await reported(instance, 'get_account');

  assert.deepEqual(
    body.freshness.map(({ account_id, state }: Record<string, string>) => [account_id, state]),
    [
      ['C2', 'reauth_required'],
      ['C0', 'ok'],
    ],
  );
  assert.match(
    line,
    /^Sin órdenes\. .* Aviso, cuentas que no están al día: Amazon C2 \(hay que volver a conectarla, sus datos son del 2026-11-16T17:42:00.000Z\)\.$/,
  );
  assert.equal(all.body.freshness.length, 21);
  assert.match(all.line, / y 296 más, que dice get_account\.$/);
  assert.equal(account.body.pagination.has_more, true);
  assert.match(account.line, /^304 conexiones de la organización; elementos 1 a \d+ de los 3\d\d/);
});

test('the bound is never below the tokenizer, whatever the texts are', { tags: ['slow'] }, () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(...'qxzjkvwbcdfgaeiou'), maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(...'ABCxyz019 .-_"'), maxLength: 60 }),
    fc.constantFrom(...Object.values(HOSTILE)),
  );
  const row = fc.record({
    id: fc.integer({ min: 1_000_000_000, max: 2_000_000_000 }).map(String),
    title: text,
    sku: text,
    tags: fc.array(text, { maxLength: 5 }),
    unit_price: fc.integer({ max: 99_999, min: 0 }).map((cents) => cents / 100),
    date_closed: fc.constantFrom(null, '2026-11-16T18:00:00.000Z'),
    status: fc.constantFrom('paid', 'ready_to_ship', 'partially_shipped'),
  });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 10 }), (data) => {
      const json = JSON.stringify({ data, has_more: false });
      const [bound, tokens] = [tokensAtMost(json), tokensOf(json)];
      assert.ok(bound >= tokens, `${bound} < ${tokens}: ${json}`);
    }),
    { numRuns: 300 },
  );
});
