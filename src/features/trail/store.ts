import { enterFrom, type ReadScope, type WriteScope } from '../../platform/db/database.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

export interface ActRow {
  readonly seq: number;
  readonly at: Instant;
  readonly act: string;
  readonly done_by: string;
  readonly person_id: string | null;
  readonly key_id: string | null;
  readonly address: string | null;
  readonly subject: string | null;
  readonly label: string | null;
  readonly role: string | null;
}

const COLUMNS = [
  'seq',
  'at',
  'act',
  'done_by',
  'person_id',
  'key_id',
  'address',
  'subject',
  'label',
  'role',
] as const;

/** Also from a transaction of a person or of an operator. */
export async function insert(scope: WriteScope, row: Omit<ActRow, 'seq'>): Promise<void> {
  await enterFrom(scope);
  await scope.rows(scope.insert('acts', [{ ...row, at: row.at.toString() }]));
}

export function before(scope: ReadScope, seq: number | null, most: number): Promise<ActRow[]> {
  const newest = scope.select('acts').select(COLUMNS).orderBy('seq', 'desc').limit(most);
  return scope.rows(seq === null ? newest : newest.where('seq', '<', seq));
}

/** @param label null = of any */
export function last(
  scope: ReadScope,
  act: string,
  label: string | null,
): Promise<ActRow | undefined> {
  const all = scope.select('acts').select(COLUMNS).where('act', '=', act);
  const acts = label === null ? all : all.where('label', '=', label);
  return scope.first(acts.orderBy('seq', 'desc').limit(1));
}

const KEEP_DAYS = 365;

export const RETENTIONS = [retention('acts', KEEP_DAYS, removeBefore('acts.remove', 'acts', 'at'))];
