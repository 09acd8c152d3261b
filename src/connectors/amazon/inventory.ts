import type { Call, Page, Read, SourceStock, Stream, StreamRequest } from '../contract.ts';
import { readEach } from '../read-rows.ts';
import { type TokenPosition, tokenInPagesOf } from '../token-paging.ts';
import { tooLargeIn } from '../too-large.ts';
import type { AmazonCredentials } from './credentials.ts';
import {
  createdOf,
  FbaPage,
  isOwnStock,
  ListingPage,
  MEXICO,
  toFbaStock,
  toOwnStock,
} from './wire.ts';

type AmazonCall = Call<AmazonCredentials>;

/** A page's token dies after 30 s. */
const FBA_TOKEN_SECONDS = 25;
const FBA_RESTARTS = 5;
/** The most that a listings page holds. */
const PAGE_SIZE = 20;

/** First the stock in Amazon's warehouses, then the seller's own. */
type Position =
  | {
      readonly phase: 'fba';
      readonly token: string | null;
      /** When the token was issued, epoch milliseconds. */
      readonly at: number;
      readonly restarts: number;
    }
  | (TokenPosition & {
      readonly phase: 'listings';
      /** A search returns 1,000 at most: a longer one continues where the former ended. */
      readonly since: string | null;
      readonly seen: number;
    });

const CUT_SHORT: Read<SourceStock> = {
  ok: false,
  externalId: null,
  reason: 'the list of what Amazon keeps was begun again too often',
  raw: '"summaries"',
};
const START: Position = { phase: 'fba', token: null, at: 0, restarts: 0 };
const LISTINGS: Position = {
  phase: 'listings',
  token: null,
  size: PAGE_SIZE,
  since: null,
  seen: 0,
};

export const inventory: Stream<SourceStock, AmazonCredentials> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },
  pageSize: PAGE_SIZE,

  page(call, request) {
    const position = positionOf(request);
    return position.phase === 'fba'
      ? readFba(call, position)
      : readListings(call, position, request.limit);
  },

  /**
   * The answer that holds a row also has the token of the next page: the rest of its list is
   * skipped in this sync run.
   */
  async tooLarge(_, request) {
    return positionOf(request).phase === 'fba'
      ? { items: [tooLargeIn('/fba/inventory/v1/summaries')], next: pack(LISTINGS) }
      : { items: [tooLargeIn('/listings/2021-08-01/items')], next: null };
  },
};

/** Positions of an older release lack their size. */
function positionOf({ position }: StreamRequest): Position {
  return position === null ? START : { size: PAGE_SIZE, ...JSON.parse(position) };
}

async function readFba(
  call: AmazonCall,
  position: Position & { phase: 'fba' },
): Promise<Page<SourceStock>> {
  const isDead =
    position.token !== null &&
    call.now().epochMilliseconds - position.at > FBA_TOKEN_SECONDS * 1_000;
  // Restarted too often: the next sync run tries again, and stored rows stay.
  if (isDead && position.restarts === FBA_RESTARTS)
    return { items: [CUT_SHORT], next: pack(LISTINGS) };
  const token = isDead ? null : position.token;
  const at = call.now().epochMilliseconds;
  const { payload, pagination } = await call.get('/fba/inventory/v1/summaries', FbaPage, {
    query: {
      granularityType: 'Marketplace',
      granularityId: MEXICO,
      marketplaceIds: MEXICO,
      details: 'true',
      nextToken: token ?? undefined,
    },
    rate: 'fbaInventory',
  });
  const items = readEach(payload.inventorySummaries, toFbaStock);
  const next = pagination?.nextToken ?? null;
  if (next === null) return { items, next: pack(LISTINGS) };
  if (next === token) return { items, next: pack(position) };
  return {
    items,
    next: pack({ phase: 'fba', token: next, at, restarts: position.restarts + (isDead ? 1 : 0) }),
  };
}

async function readListings(
  call: AmazonCall,
  position: Position & { phase: 'listings' },
  limit: number,
): Promise<Page<SourceStock>> {
  const { token, size, since } = tokenInPagesOf(limit, position);
  const seen = token === null ? 0 : position.seen;
  const seller = encodeURIComponent(call.credentials.selling_partner_id);
  const page = await call.get(`/listings/2021-08-01/items/${seller}`, ListingPage, {
    query: {
      marketplaceIds: MEXICO,
      includedData: 'summaries,fulfillmentAvailability',
      sortBy: 'createdDate',
      sortOrder: 'ASC',
      createdAfter: since ?? undefined,
      pageSize: size,
      pageToken: token ?? undefined,
    },
    rate: 'listings',
  });
  const items = readEach(page.items.filter(isOwnStock), toOwnStock);
  const counted = seen + page.items.length;
  const next = page.pagination?.nextToken ?? null;
  // A repeated token must not look like progress.
  if (next === token && next !== null) return { items, next: pack(position) };
  if (next !== null)
    return { items, next: pack({ phase: 'listings', token: next, size, since, seen: counted }) };
  const last = createdOf(page.items.at(-1));
  const isCut = page.numberOfResults > counted && last !== null && last !== since;
  return {
    items,
    next: isCut ? pack({ phase: 'listings', token: null, size, since: last, seen: 0 }) : null,
  };
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
