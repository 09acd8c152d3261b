import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findTool } from '../../src/entrances/mcp/all-tools.ts';
import { MOST_TOKENS } from '../../src/entrances/mcp/tokens.ts';
import { DEFINITIONS } from '../../src/entrances/mcp/tools-list.ts';
import { anAgent } from '../support/agents.ts';
import { openApp } from '../support/app.ts';
import { rankedBy } from '../support/bm25.ts';
import { assertSaid, runPlan } from './plan.ts';
import { QUESTIONS, type Question, questionsWith } from './questions.ts';
import { fillShop } from './shop.ts';

// Whether an agent finds the tool for what sellers ask, and the answer is right.

const LEAST_SHARE = 0.9;
/**
 * What is found of the questions of `asked`. The descriptions were written for those of `tuned`;
 * those of `held-out` were written afterwards, and no description was changed for one of them.
 */
const FOUND = {
  tuned: { first: 230, amongThree: 240 },
  'held-out': { first: 52, amongThree: 58 },
};
const TEXTS = new Map(
  DEFINITIONS.map(({ name, description }) => [name, `${name} ${description}`] as const),
);

test('of the words of a question, BM25 finds its tool first in nine cases of ten', (t) => {
  const missed = QUESTIONS.flatMap(({ question, plan }) => {
    const [found] = rankedBy(question, TEXTS);
    return plan.some(({ tool }) => tool === found)
      ? []
      : [`${question} ${plan[0]?.tool}, not ${found}`];
  });

  t.diagnostic(`BM25: ${QUESTIONS.length - missed.length} of ${QUESTIONS.length}`);
  assert.ok(missed.length <= QUESTIONS.length - LEAST_SHARE * QUESTIONS.length, missed.join('\n'));
});

test('of questions in other words, the tool is not found less often than before', (t) => {
  for (const [set, { first, amongThree }] of Object.entries(FOUND)) {
    const asked = JSON.parse(
      readFileSync(join(import.meta.dirname, 'asked', `${set}.json`), 'utf8'),
    ) as Record<string, string[]>;
    const places = Object.entries(asked).flatMap(([tool, questions]) =>
      questions.map((question) => rankedBy(question, TEXTS).indexOf(tool)),
    );
    const within = (most: number) => places.filter((place) => place < most).length;
    t.diagnostic(`${set}: ${within(1)} first, ${within(3)} among three, of ${places.length}`);
    assert.ok(within(1) >= first && within(3) >= amongThree, set);
  }
});

test('every plan is of tools that exist, with arguments that they take', () => {
  for (const { question, plan } of QUESTIONS)
    for (const { tool, arguments: given } of plan) {
      const found = findTool(tool);
      assert.ok(found, `${question} ${tool}`);
      for (const name of Object.keys(given))
        assert.ok(Object.hasOwn(found.input.shape, name), `${question} ${tool} ${name}`);
    }
});

test('what tools/list says is what was agreed', (t) => {
  try {
    t.assert.fileSnapshot(DEFINITIONS, join(import.meta.dirname, 'tools.snapshot'), {
      serializers: [(tools) => tools.map((tool: object) => JSON.stringify(tool)).join('\n')],
    });
  } catch (cause) {
    throw new Error(`tests/agents/tools.snapshot differs; if it should, run ${UPDATE}`, { cause });
  }
});
const UPDATE = 'node --test-update-snapshots tests/run.ts tests/agents/questions.test.ts';

test('a plan says only what the question says, or a former answer', () => {
  for (const question of QUESTIONS) assertSaid(question);
  const several = QUESTIONS.filter(({ plan }) => plan.length > 1);
  assert.ok(several.length >= 15, `${several.length} questions need several calls`);
});

test('a plan with an invented value is found', () => {
  const asked = { question: '¿Qué órdenes hay del 2026-11-15?' };
  const planOf = (given: Question['plan'][number]['arguments']) => ({
    ...asked,
    plan: [{ tool: 'list_orders', arguments: given }],
  });
  assert.throws(() => assertSaid(planOf({ marketplace: ['amazon'] })), /is not in the question/);
  assert.throws(() => assertSaid(planOf({ limit: 15 })), /is not in the question/);
  assert.throws(
    () => assertSaid(planOf({ cursor: { answer: 1, at: 'pagination.next_cursor' } })),
    /of no former answer/,
  );
});

test('every question gets its answer, as SQL has it, with the warnings that it needs', {
  tags: ['slow'],
}, async (t) => {
  const instance = await openApp(t);
  await fillShop(instance);
  const agent = await anAgent(instance);
  const sizes: number[] = [];
  for (const question of QUESTIONS) sizes.push(...(await runPlan(instance, agent, question)));
  const ordered = sizes.sort((a, b) => a - b);
  const warned = QUESTIONS.filter(({ warns }) => warns.length > 0).length;
  t.diagnostic(`${QUESTIONS.length} questions, ${sizes.length} calls, ${warned} with a warning`);
  t.diagnostic(`tokens: median ${ordered[ordered.length >> 1]}, largest ${ordered.at(-1)}`);
  assert.ok(QUESTIONS.length >= 60);
  assert.ok(warned >= 10);
  assert.ok(Number(ordered.at(-1)) <= MOST_TOKENS);
});

test('GOLDEN_DIR brings further questions, and a file of another format is named', {
  tags: ['slow'],
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'golden-'));
  t.after(() => rm(folder, { recursive: true }));
  const question = '¿Cuántas piezas hay de PLATO-HONDO?';
  const plan = [{ tool: 'get_inventory', arguments: { sku: 'PLATO-HONDO' } }];
  const truth = {
    sql: "select sku from stock_levels where organization_id = $1 and sku = 'PLATO-HONDO'",
    at: 'data',
  };
  const path = join(folder, 'mine.json');
  const write = (content: unknown) => writeFile(path, JSON.stringify(content));
  await write([{ question, plan, truth, warns: ['Amazon A1', 'Liverpool L1', 'Walmart W1'] }]);

  const further = questionsWith(folder).slice(questionsWith(undefined).length);

  assert.deepEqual(
    further.map((each) => each.question),
    [question],
  );
  const instance = await openApp(t);
  await fillShop(instance);
  const agent = await anAgent(instance);
  for (const each of further) {
    assertSaid(each);
    await runPlan(instance, agent, each);
    await assert.rejects(runPlan(instance, agent, { ...each, warns: [] }), /Amazon A1/);
  }
  await write([{ question, plan }]);
  assert.throws(() => questionsWith(folder), /mine\.json: .*truth/s);
});
