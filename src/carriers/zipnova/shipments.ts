import { parseOrNull } from '../../connectors/answer-document.ts';
import { apart } from '../../connectors/apart.ts';
import type { Call, Page, Read, Stream, StreamRequest } from '../../connectors/contract.ts';
import type { WalkedPage } from '../../connectors/lists.ts';
import { nameIn, readOne } from '../../connectors/read-rows.ts';
import { parseLossless } from '../../platform/json.ts';
import type { SourceShipment } from '../contract.ts';
import type { ZipnovaCredentials } from './credentials.ts';
import { Listed, Row, readShipment, Shipment } from './wire.ts';

export type ZipnovaCall = Call<ZipnovaCredentials>;

const OPEN_AT_ONCE = 20;

/**
 * Webhooks bring the changes; once a day the list is read as a safety net. It has no date filter,
 * so it is read from the newest on until a whole page is unchanged; then stored shipments in
 * transit are fetched.
 */
export const shipments: Stream<SourceShipment, ZipnovaCredentials> = {
  every: { minutes: 1_440 },
  overlap: { minutes: 45 * 1_440 },

  page(call, request) {
    const [phase, at = '', total] = (request.position ?? 'page:1').split(':');
    return phase === 'open'
      ? pageOfOpen(call, request, at === '' ? null : at)
      : pageOfList(call, request, Number(at), total === undefined ? null : Number(total));
  },

  async one(call, id) {
    return apart(id, () => readById(call, id));
  },
};

async function pageOfList(
  call: ZipnovaCall,
  request: StreamRequest,
  number: number,
  formerTotal: number | null,
): Promise<Page<SourceShipment>> {
  const listed = await listPage(call, number);
  const { total, last_page } = listed.meta;
  // Rows removed from the list moved the rest up: the former first rows of this page are now on the
  // page before.
  const hasShrunk = formerTotal !== null && total < formerTotal && number > 1;
  const rows = hasShrunk
    ? [...(await listPage(call, number - 1)).data, ...listed.data]
    : listed.data;
  const { from } = request.window;
  const ids = rows.flatMap((row) => Row.safeParse(row).data?.id ?? []);
  const stored = from === null ? new Map() : await request.states(ids);
  const wanted = rows.filter((row) => !isOldNews(row, stored));
  const items = await Promise.all(
    wanted.map((row) => apart(nameIn(row, 'id'), () => readRow(call, row))),
  );
  const isLast = number >= last_page || (from !== null && isAllOlder(rows, wanted, from));
  return {
    items: items.flat(),
    next: isLast ? 'open:' : `page:${number + 1}:${total}`,
  };
}

/** Stored shipments still in transit may be deeper in the list than the pages read. */
async function pageOfOpen(
  call: ZipnovaCall,
  request: StreamRequest,
  after: string | null,
): Promise<Page<SourceShipment>> {
  const ids = request.window.from === null ? [] : await request.nonFinalIds(after, OPEN_AT_ONCE);
  const reads = await Promise.all(ids.map((id) => apart(id, () => readById(call, id))));
  const last = ids.at(-1);
  return {
    items: reads.flat(),
    next: ids.length < OPEN_AT_ONCE || last === undefined ? null : `open:${last}`,
  };
}

async function listPage(call: ZipnovaCall, page: number) {
  const { account_id } = call.credentials;
  return call.get('/shipments', Listed, { query: { account_id, page } });
}

/** A page of any other list, to be walked. */
export async function listed(
  call: ZipnovaCall,
  path: string,
  query: Readonly<Record<string, string | number | undefined>> & { readonly page: number },
): Promise<WalkedPage<unknown, number>> {
  const { data, meta } = await call.get(path, Listed, { query });
  return { rows: data, next: query.page >= meta.last_page ? null : query.page + 1 };
}

/**
 * Whether a row is stored in the same state; it is fetched after the list if it may still change.
 */
function isOldNews(row: unknown, stored: ReadonlyMap<string, string>): boolean {
  const { data } = Row.safeParse(row);
  return data !== undefined && stored.get(data.id) === data.status;
}

function isAllOlder(
  rows: readonly unknown[],
  wanted: readonly unknown[],
  from: Temporal.Instant,
): boolean {
  const created = rows.flatMap((row) => Row.safeParse(row).data?.created_at ?? []);
  const isNewestFirst = created.every(
    (instant, at) => at === 0 || Temporal.Instant.compare(instant, created[at - 1] ?? instant) <= 0,
  );
  const isOld = created.every((instant) => Temporal.Instant.compare(instant, from) < 0);
  return wanted.length === 0 && isNewestFirst && isOld;
}

async function readRow(call: ZipnovaCall, row: unknown): Promise<Read<SourceShipment> | null> {
  const { data } = Row.safeParse(row);
  // Without a readable id it cannot be fetched: its own row gives the fault.
  if (!data) return readOne(row, (given) => readShipment(given, [], call.now()));
  return readById(call, data.id);
}

/** @returns null where there is none, or it belongs to another account of the same token */
async function readById(call: ZipnovaCall, id: string): Promise<Read<SourceShipment> | null> {
  const path = `/shipments/${encodeURIComponent(id)}`;
  const answer = await call.request({ method: 'GET', path, expect: [404] });
  if (answer.status === 404) return null;
  const document = parseLossless(answer.body);
  const { account_id } = call.credentials;
  const { data } = Shipment.pick({ account_id: true }).safeParse(document);
  if (data && account_id !== undefined && data.account_id !== account_id) return null;
  const tracking = await call.request({
    method: 'GET',
    path: `${path}/tracking`,
    query: { sort: 'oldest' },
    expect: [404],
  });
  const steps = tracking.status === 404 ? [] : parseOrNull(tracking.body);
  return readOne(document, (given) => readShipment(given, steps, answer.fetchedAt));
}
