import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';
import type { CfdiDirection } from './kinds.ts';
import { PUBLIC_RFC } from './store-uninvoiced.ts';

const LOOKS = bulk('cfdis', ['uuid', 'look_at']);

const WITH_DUE = search<{ organization_id: string }>(
  'cfdis.organizations-to-look',
  () => 'select distinct organization_id from cfdis where look_at <= $1::timestamptz',
);
/** Locked, since a change of the profile may have them looked for anew meanwhile. */
const DUE = statement<DueRow>(
  'cfdis.to-look',
  `select uuid, direction, recorded_at, record_box from cfdis
    where organization_id = $1 and look_at <= $2::timestamptz
    order by look_at, uuid limit $3::int for update`,
);
const SET = LOOKS.statement(
  'cfdis.set-looks',
  (given) => `update cfdis c set look_at = given.look_at from ${given}
    where c.organization_id = $1 and c.uuid = given.uuid`,
);
/** Of own sales without orders, and of global invoices, which name many. */
const SET_DUE = statement<object>(
  'cfdis.set-looks-due',
  `update cfdis set look_at = $2::timestamptz
    where organization_id = $1 and uuid in (
      select uuid from cfdis c
       where organization_id = $1 and type = 'ingreso' and direction <> 'received'
         and (receiver_rfc = '${PUBLIC_RFC}' or not exists (
           select from cfdi_orders l
            where l.organization_id = $1 and l.uuid = c.uuid and l.state = 'linked'))
       order by uuid for update)`,
);

interface DueRow {
  readonly uuid: string;
  readonly direction: CfdiDirection;
  readonly recorded_at: Instant;
  readonly record_box: Buffer;
}

export async function organizations(handle: Handle, now: Instant): Promise<string[]> {
  const rows = await handle.search(WITH_DUE, [now.toString()]);
  return rows.map(({ organization_id }) => organization_id);
}

export function due(scope: WriteScope, limit: number): Promise<DueRow[]> {
  return scope.prepared(DUE, [scope.clock.now().toString(), limit]);
}

export async function setLooks(
  scope: WriteScope,
  looks: readonly GivenBy<typeof LOOKS>[],
): Promise<void> {
  await scope.prepared(SET, SET.values([], looks));
}

/** Has the orders looked for that CFDI may still name, however old they are. */
export async function setAllDue(scope: WriteScope): Promise<void> {
  await scope.prepared(SET_DUE, [scope.clock.now().toString()]);
}
