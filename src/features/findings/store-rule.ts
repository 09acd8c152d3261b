import { TAX_KINDS } from '../../connectors/contract.ts';
import { listed } from '../../platform/db/listed.ts';
import { type Statement, statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { FindingKind } from './kinds.ts';

// What the statements of rules have in common: `$1` to `$3` are the account, `$4` is a time.

/** What a rule finds of one account. */
export interface FoundRow {
  readonly subject: string;
  readonly currency: string;
  readonly amount: Decimal;
  /** What it should be; null = the rule compares nothing. */
  readonly expected: Decimal | null;
  readonly since: Instant;
}

export const TAXES = listed(TAX_KINDS);
/** Of a movement `m`: its sum is 0 for a row and what took it back. */
export const LIVE = 'case when m.is_correction then -1 else 1 end';
export const of = (table: string) =>
  `${table}.organization_id = $1 and ${table}.marketplace = $2::text and ${table}.account_id = $3::text`;
export const MOVED = `${of('m')} and m.at >= $4::timestamptz`;

export const rule = (kind: FindingKind, sql: string): Statement<FoundRow> =>
  statement(`findings.${kind.replaceAll('_', '-')}`, sql);
