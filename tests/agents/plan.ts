import assert from 'node:assert/strict';
import { findService, SERVICES } from '../../src/carriers/registry.ts';
import type { Agent } from '../support/agents.ts';
import type { TestApp } from '../support/app.ts';
import { query } from '../support/market.ts';
import { callTool } from '../support/mcp.ts';
import { tokensOf } from '../support/tokens.ts';
import type { Found, Question, Value } from './questions.ts';

/** How sellers say our own words. */
const SPOKEN: Readonly<Record<string, readonly string[]>> = {
  false: ['sin contar paqueterías'],
  1: ['la última', 'la más reciente', 'el más reciente', 'producto más vendido'],
  paid: ['pagada', 'pagadas'],
  ready_to_ship: ['listas para enviar'],
  cancelled: ['cancelada', 'canceladas'],
  pending: ['pendientes'],
  returned: ['devolvieron', 'devuelta'],
  delivered: ['entregada', 'entregadas'],
  product: ['producto', 'más vendido'],
  week: ['semana'],
  month: ['mes'],
  status: ['estado'],
  EN_TRANSITO: ['en tránsito'],
  ENTREGADO: ['entregaron'],
  INCIDENCIA: ['incidencia'],
  retencion: ['constancia', 'constancias'],
  issued: ['emitidas', 'emití'],
  received: ['recibidas', 'recibidos'],
};

/** Holds a plan against its question: it says nothing that the seller did not say. */
export function assertSaid({ question, plan }: Pick<Question, 'question' | 'plan'>): void {
  for (const [at, { arguments: given }] of plan.entries())
    for (const [name, value] of Object.entries(given).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, one] as const),
    ))
      if (typeof value === 'object')
        assert.ok(value.answer <= at, `${question} ${name} is of no former answer`);
      else
        assert.ok(
          wordsFor(value).some((word) => says(question, word)),
          `${question} ${name} ${value} is not in the question`,
        );
}

function wordsFor(value: string | number | boolean): string[] {
  const named = SERVICES.map(findService).find((each) => each?.slug === value)?.name;
  return [String(value), ...(SPOKEN[String(value)] ?? []), ...(named ? [named] : [])];
}

/** As a word of its own: 5 is not in 2026-11-15. */
function says(question: string, word: string): boolean {
  return new RegExp(`(?<![\\p{L}\\d-])${RegExp.escape(word)}(?![\\p{L}\\d-])`, 'iu').test(question);
}

interface Answer {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: unknown;
}

/** Makes a plan's calls and holds the last answer against SQL. @returns the tokens of each answer */
export async function runPlan(
  instance: TestApp,
  agent: Agent,
  { question, plan, truth, warns }: Question,
): Promise<number[]> {
  const answers: Answer[] = [];
  for (const { tool, arguments: given } of plan) {
    const resolved = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, resolve(answers, value)]),
    );
    const { result } = (await callTool(instance, agent, tool, resolved)).body;
    assert.notEqual(result.isError, true, `${question} ${result.content[0].text}`);
    answers.push(result);
  }
  const last = answers.at(-1) as Answer;
  assert.deepEqual(warnedIn(last), warns.toSorted(), question);
  const rows = await query(instance, truth.sql, [instance.organization.id]);
  assert.equal(rows.length === 0, truth.is_empty === true, `${question} SQL has ${rows.length}`);
  const found = [placeOf(last.structuredContent, truth.at)].flat();
  const names = Object.keys(rows[0] ?? {});
  assert.deepEqual(
    shown(found, names, placeOf),
    shown(rows, names, (row, name) => row[name]),
    question,
  );
  return answers.map(({ content }) => tokensOf(content.map(({ text }) => text).join('\n')));
}

function resolve(answers: readonly Answer[], value: Value): unknown {
  if (Array.isArray(value)) return value.map((one) => resolve(answers, one));
  return typeof value === 'object' ? foundIn(answers, value) : value;
}

function foundIn(answers: readonly Answer[], { answer, at }: Found): unknown {
  const value = placeOf(answers[answer - 1]?.structuredContent, at);
  assert.ok(typeof value === 'string' || typeof value === 'number', `nothing at ${at}`);
  return value;
}

/** The accounts that a heading names as not fresh. */
function warnedIn({ content }: Answer): string[] {
  const [, named = ''] = content[0]?.text.split('Aviso, cuentas que no están al día: ') ?? [];
  return [...named.matchAll(/(?:^|; )([^;(]+) \(/g)].map(([, account = '']) => account).sort();
}

type Row = Readonly<Record<string, unknown>>;

/** `data.0.id`, and `data[state=ok].id` for the row with a value. */
function placeOf(answer: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((place, step) => {
    const [, name = '', key, wanted] = /^([^[]*)(?:\[(\w+)=(.*)\])?$/.exec(step) ?? [];
    const next = (place as Row | undefined)?.[name];
    return key === undefined
      ? next
      : (next as Row[] | undefined)?.find((row) => String(row[key]) === wanted);
  }, answer);
}

function shown<Of>(
  rows: readonly Of[],
  names: readonly string[],
  valueIn: (row: Of, name: string) => unknown,
): string[] {
  return rows.map((row) => JSON.stringify(names.map((name) => valueIn(row, name) ?? null))).sort();
}
