import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOOLS } from '../../src/entrances/mcp/all-tools.ts';
import { type Agent, anAgent } from '../support/agents.ts';
import { anOrder, openApp, type TestApp } from '../support/app.ts';
import { callTool } from '../support/mcp.ts';
import { type Call, REPAIRS } from './repairs.ts';
import { fillShop } from './shop.ts';

// Every sentence about arguments that a tool says, applied as it reads, makes the next call succeed.

/** What a tool cannot be called without. */
const NEEDED: Readonly<Record<string, Call['arguments']>> = {
  get_order: { id: '2000000000000001' },
  get_sales_summary: { from: '2026-11-01', to: '2026-11-15' },
};

/** What models send in the place of a right value. */
const WRONG_VALUES: readonly unknown[] = [
  null,
  {},
  [],
  '',
  'zzz',
  'a\0b',
  'a\ud800',
  'x'.repeat(900),
  true,
  0,
  1.5,
  605,
  [''],
  [1],
  [null],
  ['zzz'],
  ['a\0b'],
  ['x'.repeat(900)],
  Array.from({ length: 51 }, () => 'amazon'),
  Array.from({ length: 51 }, () => 'paid'),
  Array.from({ length: 30 }, (_, at) => `${at}${'y'.repeat(180)}`),
  'ayer',
  '2026-11-15',
  '2026-02-30',
  '0001-01-01T00:00:00Z',
  '2026-11-15T00:00:00',
];

/** What is wrong only beside something else, or in this shop. */
const WRONG_CALLS: readonly Call[] = [
  { tool: 'list_orders', arguments: { estatus: ['paid'] } },
  { tool: 'list_orders', arguments: { pagina: 2 } },
  {
    tool: 'list_orders',
    arguments: { search: 'taza', updated_since: '2026-11-15T00:00:00Z' },
  },
  { tool: 'get_account', arguments: { 'x"y': 1 } },
  { tool: 'list_shipments', arguments: { tracking: '605' } },
  { tool: 'get_order', arguments: {} },
  { tool: 'get_order', arguments: { id: 'nadie' } },
  { tool: 'get_order', arguments: { id: '2000000000000001', marketplace: 'coppel' } },
  { tool: 'get_order', arguments: { id: 'gemela' } },
  { tool: 'get_sales_summary', arguments: {} },
  { tool: 'get_sales_summary', arguments: { from: '2026-11-01' } },
  { tool: 'get_sales_summary', arguments: { from: '2026-11-15', to: '2026-11-01' } },
  { tool: 'get_sales_summary', arguments: { from: '2024-01-01', to: '2026-11-01' } },
  ...['list_orders', 'list_cfdis', 'list_shipments'].map((tool) => ({
    tool,
    arguments: { from: '2026-11-15T00:00:00Z', to: '2026-11-01T00:00:00Z' },
  })),
];

test('the sentence of every refused call, applied as it reads, makes the next call succeed', {
  tags: ['slow'],
}, async (t) => {
  const instance = await openApp(t);
  await fillShop(instance);
  const accounts = ['1', '2'].map((accountId) => anOrder({ id: 'gemela', accountId }));
  await instance.record(accounts);
  await instance.setPlan('experto', 100_000);
  const agent = await anAgent(instance);
  const { data: _, ...page } = await answered(instance, agent, {
    tool: 'list_orders',
    arguments: { limit: 1 },
  });
  const { next_cursor: cursor } = page.pagination as { next_cursor: string };
  const calls = [
    ...WRONG_CALLS,
    { tool: 'list_orders', arguments: { cursor, status: ['paid'] } },
    { tool: 'list_shipments', arguments: { cursor } },
    ...TOOLS.flatMap(({ name, input }) =>
      argumentsOnce(input.shape).flatMap((argument) =>
        WRONG_VALUES.map((value) => ({
          tool: name,
          arguments: { ...NEEDED[name], [argument]: value },
        })),
      ),
    ),
  ];

  const used = new Set<RegExp>();
  const stuck: string[] = [];
  const repairs = [0, 0, 0];
  for (const call of calls) {
    const path: string[] = [];
    let now = call;
    let sentence = await refusalOf(instance, agent, now);
    for (; sentence !== null && path.length < MOST_FAULTS; ) {
      path.push(`${shown(now)} «${sentence}»`);
      const repair = REPAIRS.find((each) => each.sentence.test(String(sentence)));
      if (!repair) break;
      used.add(repair.sentence);
      const said = repair.sentence.exec(sentence) ?? [];
      const ask = (asked: Call) => answered(instance, agent, asked);
      const repaired = await repair.repair(now.arguments, said as string[], ask);
      now = { tool: call.tool, arguments: repaired };
      sentence = await refusalOf(instance, agent, now);
    }
    if (sentence === null) repairs[path.length] = (repairs[path.length] ?? 0) + 1;
    else stuck.push([...path, `${shown(now)} «${sentence}»`].join(' then '));
  }

  const [right, once, twice] = repairs;
  t.diagnostic(
    `${calls.length} calls: ${right} right, ${once} after one repair, ${twice} with two faults; ${used.size} kinds`,
  );
  assert.deepEqual(stuck, []);
  assert.deepEqual(
    REPAIRS.map(({ sentence }) => sentence).filter((sentence) => !used.has(sentence)),
    [],
  );
});

/** A call may have two: a value of the wrong type, which is of no order either. */
const MOST_FAULTS = 2;

const seen = new Set<unknown>();

/** What several tools take is read alike in all of them. */
function argumentsOnce(shape: Readonly<Record<string, unknown>>): string[] {
  const once = Object.keys(shape).filter((name) => !seen.has(shape[name]));
  for (const name of once) seen.add(shape[name]);
  return once;
}

/** What a model reads of a refusal; null = none. */
async function refusalOf(instance: TestApp, agent: Agent, call: Call): Promise<string | null> {
  const { body } = await callTool(instance, agent, call.tool, call.arguments);
  assert.ok(body.result, `${shown(call)} ${JSON.stringify(body)}`);
  return body.result.isError ? body.result.content[0].text : null;
}

async function answered(instance: TestApp, agent: Agent, call: Call) {
  const { body } = await callTool(instance, agent, call.tool, call.arguments);
  assert.notEqual(body.result.isError, true, shown(call));
  return body.result.structuredContent;
}

function shown({ tool, arguments: given }: Call): string {
  return `${tool} ${JSON.stringify(given).slice(0, 200)}`;
}
