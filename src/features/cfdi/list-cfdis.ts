import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';
import { makeWalkCursor, openWalkCursor } from '../../platform/walk-cursor.ts';
import type { CfdiDocument, CfdiStatus, CfdiType } from './document.ts';
import { type DocumentPosition, pageOfDocuments } from './store-page.ts';

export interface CfdiQuery {
  /** Both bounds are of the issue, else of when it was first seen, and inclusive. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly type: CfdiType | null;
  readonly status: CfdiStatus | null;
  /** The folio fiscal, in any case. */
  readonly uuid: string | null;
  /** The order's id at its marketplace. */
  readonly orderId: string | null;
  /** Of the issuer or of the receiver, in any case. */
  readonly rfc: string | null;
  readonly limit: number;
  readonly cursor: string | null;
}

export interface CfdiPage {
  readonly documents: readonly CfdiDocument[];
  readonly nextCursor: string | null;
}

/** The newest first. @throws Failure invalid_cursor */
export async function listCfdis(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, from, to, uuid, rfc, ...query }: CfdiQuery,
): Promise<CfdiPage> {
  const walk = { kind: 'cfdis', organizationId: scope.organizationId };
  const given = {
    from: from && epochMicros(from),
    to: to && epochMicros(to),
    type: query.type,
    status: query.status,
    uuid: uuid?.toUpperCase() ?? null,
    orderId: query.orderId,
    rfc: rfc?.toUpperCase() ?? null,
  };
  const opened =
    cursor === null ? null : openWalkCursor<typeof given, DocumentPosition>(cursors, walk, cursor, given);
  const filters = opened?.filters ?? given;
  const found = await pageOfDocuments(scope, {
    ...filters,
    from: filters.from === null ? null : fromEpochMicros(filters.from),
    to: filters.to === null ? null : fromEpochMicros(filters.to),
    after: opened?.position ?? null,
    limit: limit + 1,
  });
  const documents = found.slice(0, limit);
  const last = documents.at(-1);
  if (found.length <= limit || !last) return { documents, nextCursor: null };
  const position = [epochMicros(last.listedAt), last.marketplace, last.accountId, last.id];
  return { documents, nextCursor: makeWalkCursor(cursors, walk, filters, position) };
}
