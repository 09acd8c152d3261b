import type { Handle, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';
import type { ApiVersion, Deprecation } from './deprecation.ts';

const PUT = statement<object>(
  'deprecations.put',
  `insert into api_deprecations (version, deprecated_at, sunset_at, successor)
   values ($1, $2::timestamptz, $3::timestamptz, $4)
   on conflict (version) do update set sunset_at = excluded.sunset_at, successor = excluded.successor`,
);

interface Row {
  readonly version: string;
  readonly deprecated_at: Instant;
  readonly sunset_at: Instant;
  readonly successor: string | null;
}

const ALL = statement<Row>(
  'deprecations.all',
  'select version, deprecated_at, sunset_at, successor from api_deprecations order by version',
);

const NOTE = statement<object>(
  'deprecations.note-notice',
  `insert into api_deprecation_notices (organization_id, version, sunset_at, months)
   values ($1, $2, $3::timestamptz, $4)
   on conflict do nothing returning months`,
);

export async function put(
  handle: WriteHandle,
  { version, deprecatedAt, sunsetAt, successor }: Deprecation,
): Promise<void> {
  await handle.raw(PUT, [version, deprecatedAt.toString(), sunsetAt.toString(), successor]);
}

export async function all(handle: Handle): Promise<Deprecation[]> {
  const rows = await handle.raw(ALL, []);
  return rows.map((row) => ({
    version: row.version as ApiVersion,
    deprecatedAt: row.deprecated_at,
    sunsetAt: row.sunset_at,
    successor: row.successor,
  }));
}

export async function noteNotice(
  scope: WriteScope,
  version: ApiVersion,
  sunsetAt: Instant,
  months: number,
): Promise<boolean> {
  return (await scope.prepared(NOTE, [version, sunsetAt.toString(), months])).length === 1;
}
