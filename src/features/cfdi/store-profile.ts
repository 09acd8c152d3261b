import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';

export type ProfileRow = Pick<
  Rows['fiscal_profiles'],
  'person' | 'regime' | 'has_border_vat' | 'rfcs'
>;

const SHOWN = 'person, regime, has_border_vat, rfcs';
const FIND = statement<ProfileRow>(
  'fiscal-profiles.find',
  `select ${SHOWN} from fiscal_profiles where organization_id = $1`,
);
const ENSURE = statement<object>(
  'fiscal-profiles.ensure',
  `insert into fiscal_profiles (organization_id, changed_at) values ($1, $2::timestamptz)
   on conflict do nothing`,
);
const HOLD = statement<ProfileRow>(
  'fiscal-profiles.hold',
  `select ${SHOWN} from fiscal_profiles where organization_id = $1 for share`,
);
const SET = statement<object>(
  'fiscal-profiles.set',
  `update fiscal_profiles
      set person = $2, regime = $3, has_border_vat = $4::bool, rfcs = $5::text[],
          changed_at = $6::timestamptz
    where organization_id = $1`,
);
/** The same as `directionOf`. The orders that an invoice names are looked for anew. */
const REDIRECT = statement<{ uuid: string }>(
  'cfdis.redirect',
  `update cfdis set direction = case when issuer_rfc = any($2::text[]) then 'issued'
                                     when receiver_rfc = any($2::text[]) then 'received'
                                     else 'other' end,
          look_at = case when type = 'ingreso' then $3::timestamptz end
    where organization_id = $1
      and direction <> case when issuer_rfc = any($2::text[]) then 'issued'
                            when receiver_rfc = any($2::text[]) then 'received'
                            else 'other' end
   returning uuid`,
);

export async function find(scope: ReadScope): Promise<ProfileRow | null> {
  return (await scope.prepared(FIND, []))[0] ?? null;
}

/** A change of the profile waits until the transaction ends. */
export async function hold(scope: WriteScope): Promise<ProfileRow | null> {
  await scope.prepared(ENSURE, [scope.clock.now().toString()]);
  return (await scope.prepared(HOLD, []))[0] ?? null;
}

export async function set(scope: WriteScope, profile: ProfileRow): Promise<void> {
  const now = scope.clock.now().toString();
  await scope.prepared(ENSURE, [now]);
  const { person, regime, has_border_vat, rfcs } = profile;
  await scope.prepared(SET, [person, regime, has_border_vat, rfcs, now]);
}

/** @returns the folios of the documents that have another direction now */
export async function redirect(scope: WriteScope, rfcs: readonly string[]): Promise<string[]> {
  const rows = await scope.prepared(REDIRECT, [rfcs, scope.clock.now().toString()]);
  return rows.map(({ uuid }) => uuid);
}
