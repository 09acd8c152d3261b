import type { Route } from 'playwright-core';
import { findOperation } from '../../../src/entrances/panel/contract.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

/** Dates, amounts, currencies, addresses, and words of a fixed list: no marketplace writes these. */
const FIXED = /^(\d{4}-\d\d.*|-?\d+\.\d+|[A-Z]{3}|\/.*|https?:.*|[a-z_.-]+)?$/;
const CURSOR = 'next_cursor';

/** What only one of the texts could have made. */
export const MADE = `[...document.querySelectorAll(
  'img, iframe, object, embed, video, audio, math, marquee, base, body style:not([data-mantine-styles]), body meta, body link, ' +
  'body script, [onerror], [onload], [onfocus], [ontoggle], [onbegin], a[href^="javascript:" i]'
)].map((one) => one.outerHTML.slice(0, 120))`;

type Json = unknown;

/**
 * Answers of the server in which each text that could be anything is hostile, and lists with such
 * texts are as long as there are texts. What a page asks for by such a text is asked by the text
 * that the server knows.
 *
 * @param given by operation, in place of what the server answers: what it has no data for
 */
export function hostileAnswers(given: Readonly<Record<string, object>>) {
  const known = new Map<string, string>();
  let served = new Set<string>();
  const hostile = (text: string) => {
    const one = HOSTILE_TEXTS[known.size % HOSTILE_TEXTS.length] ?? '';
    served.add(one);
    const other = `${one} ${known.size}`;
    known.set(other, text);
    return other;
  };
  const answer = async (route: Route) => {
    const url = new URL(route.request().url());
    for (const [name, value] of [...url.searchParams])
      url.searchParams.set(name, known.get(value) ?? value);
    const response = await route.fetch({ url: url.href });
    const operation = url.pathname.split('/').at(-1) ?? '';
    const schema = findOperation(operation)?.output;
    const body: Json = given[operation] ?? (await response.json());
    if (!schema || !response.ok()) return route.fulfill({ response, json: body });
    const long = lengthened(body);
    const json = changed(long, hostile);
    // A list of fixed words refuses a text: there the server's own word stays.
    for (const { path } of schema.safeParse(json).error?.issues ?? []) restore(json, long, path);
    // A screen is only shown what the server could answer.
    schema.parse(json);
    return route.fulfill({ response, json });
  };
  return {
    answer,
    /** Which texts were served since the last call. */
    served() {
      const last = served;
      served = new Set();
      return last;
    },
  };
}

/** Its rows again and again, as many as there are texts; without `data` each of its lists is rows. */
function lengthened(body: Json): Json {
  if (typeof body !== 'object' || body === null) return body;
  const isRows = (name: string) => name === 'data' || !('data' in body);
  return Object.fromEntries(
    Object.entries(body).map(([name, list]) => [
      name,
      isRows(name) && Array.isArray(list) && typeof list[0] === 'object' && hasText(list)
        ? HOSTILE_TEXTS.map((_, at) => list[at % list.length])
        : list,
    ]),
  );
}

/** Whether anything in it could be anything. */
function hasText(value: Json): boolean {
  if (typeof value === 'string') return !FIXED.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasText);
}

function changed(value: Json, hostile: (text: string) => string): Json {
  if (typeof value === 'string') return FIXED.test(value) ? value : hostile(value);
  if (Array.isArray(value)) return value.map((one) => changed(one, hostile));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === CURSOR ? null : changed(one, hostile),
    ]),
  );
}

/** Puts what is at the path of `from` into `into`. */
function restore(into: Json, from: Json, path: readonly PropertyKey[]): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  const [target, source] = [into as Record<PropertyKey, Json>, from as Record<PropertyKey, Json>];
  if (rest.length === 0) target[name] = source[name];
  else restore(target[name], source[name], rest);
}
