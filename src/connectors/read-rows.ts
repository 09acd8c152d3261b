import { z } from 'zod';
import { isRawNumber } from '../platform/json.ts';
import { aside, rawOf, tooDeep } from './bounds.ts';
import type { Read } from './contract.ts';

/** Reads each element by itself, so that one unreadable row never costs its page. */
export function readEach<Item>(
  rows: readonly unknown[],
  read: (row: unknown) => Item,
  nameOf = idOf,
): Read<Item>[] {
  return rows.map((row) => readOne(row, read, nameOf));
}

/**
 * A faulty row is set aside alone, with the path and the reason.
 * @param nameOf the id to fetch the row again
 */
export function readOne<Item>(
  row: unknown,
  read: (row: unknown) => Item,
  nameOf = idOf,
): Read<Item> {
  const asideFor = (reason: string) =>
    aside({ externalId: nameOf(row) ?? idOf(row), reason, raw: rawOf(row) });
  const depth = tooDeep(row);
  if (depth) return asideFor(depth);
  try {
    return { ok: true, item: read(row) };
  } catch (error) {
    return asideFor(reasonOf(error));
  }
}

/** The name of a row in one of its fields, whether it is a valid id or not. */
export function nameIn(row: unknown, field: string): string | null {
  const value = z.looseObject({}).safeParse(row).data?.[field];
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The path of the first wrong field and what is wrong with it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError))
    return `(whole): ${error instanceof Error ? error.message : error}`;
  const [issue] = error.issues;
  return issue ? `${issue.path.join('.') || '(whole)'}: ${issue.message}` : '(whole): unreadable';
}

function idOf(row: unknown): string | null {
  return nameIn(row, 'id');
}
