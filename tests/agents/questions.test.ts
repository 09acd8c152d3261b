import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { findService, SERVICES } from '../../src/carriers/registry.ts';
import { readInput } from '../../src/entrances/inputs.ts';
import { DEFINITIONS } from '../../src/entrances/mcp/definitions.ts';
import { findTool } from '../../src/entrances/mcp/table.ts';
import { MOST_TOKENS } from '../../src/entrances/mcp/tokens.ts';
import { decimal } from '../../src/platform/money.ts';
import { anAgent } from '../support/agents.ts';
import { anOrder, openApp, type TestApp } from '../support/app.ts';
import { rankedBy } from '../support/bm25.ts';
import { query } from '../support/market.ts';
import { callTool } from '../support/mcp.ts';
import { tokensOf } from '../support/tokens.ts';
import { QUESTIONS } from './questions.ts';

// Whether an agent finds the tool for what sellers ask, and the answer is right.

const LEAST_SHARE = 0.9;
/** How sellers call our own words. */
const SPOKEN: Readonly<Record<string, string>> = {
  paid: 'pagad',
  ready_to_ship: 'listas para enviar',
  cancelled: 'cancelad',
  pending: 'pendiente',
  returned: 'devolvieron',
  delivered: 'entregad',
  product: 'producto',
  week: 'semana',
  month: 'mes',
  status: 'estado',
  EN_TRANSITO: 'en tránsito',
  ENTREGADO: 'entregaron',
  INCIDENCIA: 'incidencia',
};

test('of the words of a question, BM25 finds its tool first in nine cases of ten', (t) => {
  const texts = new Map(
    DEFINITIONS.map(({ name, description }) => [name, `${name} ${description}`] as const),
  );
  const missed = QUESTIONS.flatMap(({ question, plan }) => {
    const [found] = rankedBy(question, texts);
    return found === plan[0]?.tool ? [] : [`${question} ${plan[0]?.tool}, not ${found}`];
  });

  t.diagnostic(`BM25: ${QUESTIONS.length - missed.length} of ${QUESTIONS.length}`);
  assert.ok(QUESTIONS.length >= 60);
  assert.ok(missed.length <= QUESTIONS.length - LEAST_SHARE * QUESTIONS.length, missed.join('\n'));
});

test('every plan is of tools that exist, with arguments that they take', () => {
  for (const { question, plan } of QUESTIONS)
    for (const { tool, arguments: given } of plan) {
      const found = findTool(tool);
      assert.ok(found, `${question} ${tool}`);
      assert.doesNotThrow(() => readInput('argument', found.input, given), question);
    }
});

test('what tools/list says is what was agreed', (t) => {
  t.assert.fileSnapshot(DEFINITIONS, join(import.meta.dirname, 'tools.snapshot'), {
    serializers: [(tools) => tools.map((tool: object) => JSON.stringify(tool)).join('\n')],
  });
});

test('a plan says only what the question says', () => {
  for (const { question, plan } of QUESTIONS) {
    const asked = question.toLowerCase();
    for (const value of plan.flatMap(({ arguments: given }) => Object.values(given).flat())) {
      const named = SERVICES.map(findService).find((each) => each?.slug === value)?.name;
      const words = [String(value), SPOKEN[String(value)], named].flatMap((word) => word ?? []);
      assert.ok(
        words.some((word) => asked.includes(word.toLowerCase())),
        `${question} ${value}`,
      );
    }
  }
});

test('every question gets its answer, as SQL has it, with the warning that it needs', async (t) => {
  const instance = await openApp(t);
  await fill(instance);
  const agent = await anAgent(instance);
  const sizes: number[] = [];
  for (const { question, plan, truth, warns } of QUESTIONS) {
    let answer: { content: { text: string }[]; structuredContent: unknown } | undefined;
    for (const { tool, arguments: given } of plan) {
      const { result } = (await callTool(instance, agent, tool, given)).body;
      assert.notEqual(result.isError, true, `${question} ${result.content[0].text}`);
      sizes.push(tokensOf(result.content.map(({ text }: { text: string }) => text).join('\n')));
      answer = result;
    }
    assert.ok(answer);
    if (warns) assert.ok(answer.content[0]?.text.includes(warns), `${question} ${warns}`);
    if (!truth) continue;
    const rows = await query(instance, truth.sql, [instance.organization.id]);
    const found = [placeOf(answer.structuredContent, truth.at)].flat() as Row[];
    const names = Object.keys(rows[0] ?? {});
    assert.deepEqual(sorted(found, names), sorted(rows, names), question);
  }
  const ordered = sizes.sort((a, b) => a - b);
  t.diagnostic(`tokens: median ${ordered[ordered.length >> 1]}, largest ${ordered.at(-1)}`);
  assert.ok(Number(ordered.at(-1)) <= MOST_TOKENS);
});

type Row = Readonly<Record<string, unknown>>;

function placeOf(answer: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((place, name) => (place as Row)[name], answer);
}

function sorted(rows: readonly Row[], names: readonly string[]): string[] {
  return rows.map((row) => JSON.stringify(names.map((name) => row[name]))).sort();
}

const MARKETPLACES = ['mercado_libre', 'amazon', 'walmart', 'shopify', 'liverpool'] as const;
const STATUSES = [
  'paid',
  'ready_to_ship',
  'pending',
  'cancelled',
  'delivered',
  'returned',
  'shipped',
] as const;

/** Orders of four weeks at five marketplaces, and a connection that has to be renewed. */
async function fill(instance: TestApp): Promise<void> {
  const begin = Temporal.Instant.from('2026-10-20T15:00:00Z');
  await instance.record(
    Array.from({ length: 40 }, (_, at) =>
      anOrder({
        id: String(2_000_000_000_000_001 + at),
        marketplace: MARKETPLACES[at % MARKETPLACES.length] ?? 'amazon',
        accountId: at % MARKETPLACES.length === 0 ? '468424240' : 'A1',
        status: STATUSES[at % STATUSES.length] ?? 'paid',
        currency: at % 9 === 0 ? 'USD' : 'MXN',
        total: decimal(`${100 + at}.50`),
        dateCreated: begin.add({ hours: 16 * at }),
      }),
    ),
  );
  await query(
    instance,
    `insert into connections (organization_id, id, service, account_id, name, state, created_at, updated_at)
     values ($1, gen_random_uuid(), 'amazon', 'A1', 'Uno', 'reauth_required', now(), now()),
            ($1, gen_random_uuid(), 'mercado_libre', '468424240', 'Dos', 'ok', now(), now())`,
    [instance.organization.id],
  );
}
