import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import type { CfdiDirection } from './kinds.ts';

/** What a former release did not store. */
const ADDED = ['withheld', 'period', 'isr', 'iva', 'is_of_platform', 'replaces'] as const;
const CFDIS = bulk('cfdis', [
  'uuid',
  'kind',
  'type',
  'direction',
  'issuer_rfc',
  'receiver_rfc',
  'currency',
  'total',
  'issued_at',
  'source',
  'recorded_at',
  'related_at',
  'ask_at',
  'look_at',
  'record_box',
  'xml_box',
  'xml_size',
  ...ADDED,
]);
const FACTS = bulk('cfdis', ['uuid', ...ADDED]);

/** A folio that is known stays as it came first. */
const INSERT = CFDIS.statement<{ uuid: string }>(
  'cfdis.insert',
  (given) => `insert into cfdis (organization_id, ${CFDIS.names})
   select $1, * from ${given}
   on conflict (organization_id, uuid) do nothing
   returning uuid`,
);
/** Folio by folio: with few statistics all documents of the organisation would be compared. */
const KNOWN = statement<{ uuid: string }>(
  'cfdis.known',
  `select known.uuid from unnest($2::text[]) as given (uuid) cross join lateral (
     select uuid from cfdis
      where organization_id = $1 and uuid between given.uuid and given.uuid
      order by uuid limit 1) as known`,
);
const PAGE = statement<BoxedRow>(
  'cfdis.page',
  `select uuid, issued_at::text as issued_at, record_box from cfdis
    where organization_id = $1 and kind = $2
      and (issued_at, uuid) > ($3::timestamptz, $4)
    order by issued_at, uuid limit $5::int`,
);
const ONE = statement<BoxedRow>(
  'cfdis.one',
  `select uuid, issued_at::text as issued_at, record_box from cfdis
    where organization_id = $1 and kind = $2 and uuid = $3`,
);
const XML = statement<{ uuid: string; xml_box: Buffer; xml_size: number | null }>(
  'cfdis.xml',
  'select uuid, xml_box, xml_size from cfdis where organization_id = $1 and uuid = any($2::text[])',
);
const WITH_INCOMPLETE = search<{ organization_id: string }>(
  'cfdis.organizations-with-incomplete',
  () => 'select distinct organization_id from cfdis where withheld is null',
);
/** Certificates first: findings open those that are not complete. */
const INCOMPLETE = statement<{ uuid: string; direction: CfdiDirection; record_box: Buffer }>(
  'cfdis.incomplete',
  `select uuid, direction, record_box from cfdis
    where organization_id = $1 and withheld is null order by kind desc, uuid desc limit $2::int`,
);
/** One that was stored before relations were was not asked of the SAT either. */
const COMPLETE = FACTS.statement(
  'cfdis.complete',
  (given) => `update cfdis c set ${ADDED.map((name) => `${name} = given.${name}`).join(', ')},
          related_at = coalesce(c.related_at, $2::timestamptz),
          ask_at = case when c.related_at is null and c.kind = 'cfdi'
            then coalesce(c.ask_at, $2::timestamptz) else c.ask_at end
     from ${given} where c.organization_id = $1 and c.uuid = given.uuid`,
);

interface BoxedRow {
  readonly uuid: string;
  readonly issued_at: string;
  readonly record_box: Buffer;
}

/** @returns the folios that are new */
export async function insert(
  scope: WriteScope,
  rows: readonly GivenBy<typeof CFDIS>[],
): Promise<string[]> {
  return (await scope.prepared(INSERT, INSERT.values([], rows))).map(({ uuid }) => uuid);
}

export async function known(scope: ReadScope, uuids: readonly string[]): Promise<Set<string>> {
  return new Set((await scope.prepared(KNOWN, [uuids])).map(({ uuid }) => uuid));
}

/** @param after the last one of the page before */
export function page(
  scope: ReadScope,
  kind: 'cfdi' | 'withholding',
  after: Pick<BoxedRow, 'issued_at' | 'uuid'> | null,
  most: number,
): Promise<BoxedRow[]> {
  const { issued_at, uuid } = after ?? { issued_at: '-infinity', uuid: '' };
  return scope.prepared(PAGE, [kind, issued_at, uuid, most]);
}

export async function one(
  scope: ReadScope,
  kind: 'cfdi' | 'withholding',
  uuid: string,
): Promise<BoxedRow | null> {
  return (await scope.prepared(ONE, [kind, uuid]))[0] ?? null;
}

export function xmlOf(scope: ReadScope, uuids: readonly string[]) {
  return scope.prepared(XML, [uuids]);
}

/** Organisations with documents of which a former release stored less. */
export async function organizationsWithIncomplete(handle: Handle): Promise<string[]> {
  const rows = await handle.search(WITH_INCOMPLETE, []);
  return rows.map(({ organization_id }) => organization_id);
}

export function incomplete(scope: ReadScope, limit: number) {
  return scope.prepared(INCOMPLETE, [limit]);
}

export async function complete(
  scope: WriteScope,
  facts: readonly GivenBy<typeof FACTS>[],
): Promise<void> {
  await scope.prepared(COMPLETE, COMPLETE.values([scope.clock.now().toString()], facts));
}
