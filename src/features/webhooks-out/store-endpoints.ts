import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { Instant } from '../../platform/time.ts';
import type { DisabledBecause, Endpoint, ReadTerms } from './endpoint.ts';
import type { EventType } from './event.ts';

interface Counted {
  readonly stored: number;
  readonly enabled: number;
}

const LOCK = statement<object>(
  'webhook-endpoints.lock-organization',
  'select from organizations where id = $1 for no key update',
);
const COUNT = statement<Counted>(
  'webhook-endpoints.count',
  `select count(*)::int as stored,
          (count(*) filter (where state = 'enabled'))::int as enabled
     from webhook_endpoints where organization_id = $1`,
);
/**
 * The oldest stay within the limit. One that comes back has no failures of former days. A plan
 * without endpoints disables also those that were disabled before, as its retention takes no other.
 */
const LIMIT = statement<object>(
  'webhook-endpoints.limit',
  `update webhook_endpoints e
      set state = ranked.next,
          disabled_at = case when ranked.next = 'enabled' then null
                             when ranked.next = e.state then e.disabled_at
                             else $3::timestamptz end,
          failing_since = case when e.state <> 'disabled_by_plan' then e.failing_since end,
          slow_downs = case when e.state <> 'disabled_by_plan' then e.slow_downs else 0 end
     from (select id,
             case when disabled_because is not null and $2::int > 0 then 'disabled'
                  when disabled_because is null and row_number() over (
                    partition by disabled_because is null order by created_at, id) <= $2::int
                  then 'enabled' else 'disabled_by_plan' end as next
             from webhook_endpoints where organization_id = $1) as ranked
    where e.organization_id = $1 and e.id = ranked.id`,
);
const DISABLE = statement<object>(
  'webhook-endpoints.disable',
  `update webhook_endpoints
      set state = 'disabled', disabled_because = $3, disabled_at = $4::timestamptz
    where organization_id = $1 and id = $2::uuid and state = 'enabled' returning 1`,
);
const ENABLE = statement<object>(
  'webhook-endpoints.enable',
  `update webhook_endpoints
      set state = 'enabled', disabled_because = null, disabled_at = null,
          failing_since = null, slow_downs = 0, paused_until = null
    where organization_id = $1 and id = $2::uuid`,
);
const REPLACE_SECRET = statement<object>(
  'webhook-endpoints.replace-secret',
  `update webhook_endpoints
      set former_secret_box = case when $4::timestamptz is null then null else secret_box end,
          former_secret_until = $4::timestamptz, secret_box = $3::bytea, paused_until = null
    where organization_id = $1 and id = $2::uuid`,
);
const CHANGE = statement<object>(
  'webhook-endpoints.change',
  `update webhook_endpoints
      set url = $3, types = $4::text[], marketplaces = $5::text[], account_ids = $6::text[],
          rate_per_minute = $7::int, is_operator_trusted = $8::boolean,
          headers_box = case when $9::boolean then $10::bytea else headers_box end
    where organization_id = $1 and id = $2::uuid`,
);
const REMOVE_DELIVERIES = statement<object>(
  'webhook-deliveries.remove-endpoint',
  'delete from webhook_deliveries where organization_id = $1 and endpoint_id = $2::uuid',
);
const REMOVE = statement<object>(
  'webhook-endpoints.remove-one',
  'delete from webhook_endpoints where organization_id = $1 and id = $2::uuid',
);
const COLUMNS = [
  'id',
  'url',
  'types',
  'marketplaces',
  'account_ids',
  'rate_per_minute',
  'is_operator_trusted',
  'signature',
  'state',
  'disabled_because',
  'created_at',
  'failing_since',
] as const;

type NewEndpoint = Omit<Endpoint, 'state' | 'disabledBecause' | 'failingSince'> & {
  readonly secretBox: Buffer;
  readonly headersBox: Buffer | null;
};

/** Locks the organisation's row, so that the limit of endpoints holds under concurrent requests. */
export async function lockOrganization(scope: WriteScope): Promise<void> {
  await scope.prepared(LOCK, []);
}

export async function count(scope: WriteScope): Promise<Counted> {
  return (await scope.prepared(COUNT, []))[0] ?? { stored: 0, enabled: 0 };
}

export async function insert(scope: WriteScope, endpoint: NewEndpoint): Promise<void> {
  await scope.rows(
    scope.insert('webhook_endpoints', [
      {
        id: endpoint.id,
        url: endpoint.url,
        types: [...endpoint.types],
        marketplaces: [...endpoint.marketplaces],
        account_ids: [...endpoint.accountIds],
        rate_per_minute: endpoint.ratePerMinute,
        is_operator_trusted: endpoint.isOperatorTrusted,
        signature: endpoint.signature,
        secret_box: endpoint.secretBox,
        headers_box: endpoint.headersBox,
        state: 'enabled',
        created_at: endpoint.createdAt,
      },
    ]),
  );
}

export async function all(scope: ReadScope): Promise<Endpoint[]> {
  const rows = await scope.rows(endpoints(scope).orderBy('created_at').orderBy('id'));
  return rows.map(endpointOf);
}

export async function one(scope: ReadScope, id: string): Promise<Endpoint | null> {
  const row = await scope.first(endpoints(scope).where('id', '=', id));
  return row ? endpointOf(row) : null;
}

function endpoints(scope: ReadScope) {
  return scope.select('webhook_endpoints').select(COLUMNS);
}

function endpointOf(row: Pick<Rows['webhook_endpoints'], (typeof COLUMNS)[number]>): Endpoint {
  return {
    id: row.id,
    url: row.url,
    types: row.types as EventType[],
    marketplaces: row.marketplaces,
    accountIds: row.account_ids,
    ratePerMinute: row.rate_per_minute,
    isOperatorTrusted: row.is_operator_trusted,
    signature: row.signature,
    state: row.state,
    disabledBecause: row.disabled_because as DisabledBecause | null,
    createdAt: row.created_at,
    failingSince: row.failing_since,
  };
}

/** @returns whether it was enabled */
export async function disable(
  scope: WriteScope,
  id: string,
  because: DisabledBecause,
  at: Instant,
): Promise<boolean> {
  return (await scope.prepared(DISABLE, [id, because, at.toString()])).length > 0;
}

export async function enable(scope: WriteScope, id: string): Promise<void> {
  await scope.prepared(ENABLE, [id]);
}

/** @param formerUntil null = the former secret does not sign any more */
export async function replaceSecret(
  scope: WriteScope,
  id: string,
  box: Buffer,
  formerUntil: Instant | null,
): Promise<void> {
  await scope.prepared(REPLACE_SECRET, [id, box, formerUntil?.toString() ?? null]);
}

export async function secretBox(scope: ReadScope, id: string): Promise<Buffer | null> {
  const row = await scope.first(
    scope.select('webhook_endpoints').select('secret_box').where('id', '=', id),
  );
  return row?.secret_box ?? null;
}

export async function hasHeaders(scope: ReadScope, id: string): Promise<boolean> {
  const row = await scope.first(
    scope
      .select('webhook_endpoints')
      .select('id')
      .where('id', '=', id)
      .where('headers_box', 'is not', null),
  );
  return row !== undefined;
}

export async function limitEnabled(scope: WriteScope, limit: number, now: Instant): Promise<void> {
  await scope.prepared(LIMIT, [limit, now.toString()]);
}

/** @param headersBox undefined = its headers stay */
export async function change(
  scope: WriteScope,
  id: string,
  terms: Omit<ReadTerms, 'headers' | 'signature'>,
  headersBox: Buffer | null | undefined,
): Promise<void> {
  const { url, types, marketplaces, accountIds, ratePerMinute, isOperatorTrusted } = terms;
  const values = [id, url, types, marketplaces, accountIds, ratePerMinute, isOperatorTrusted];
  await scope.prepared(CHANGE, [...values, headersBox !== undefined, headersBox ?? null]);
}

/** With what was still to be delivered; its attempts stay. */
export async function remove(scope: WriteScope, id: string): Promise<void> {
  await scope.prepared(REMOVE_DELIVERIES, [id]);
  await scope.prepared(REMOVE, [id]);
}
