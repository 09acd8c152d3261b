import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { choice, type GivenBy, instant, wording } from '../../platform/input-fields.ts';
import { isStorableText } from '../../platform/json.ts';
import { epochMicros } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { CFDI_DIRECTIONS, CFDI_TYPES, SAT_STATUSES } from './kinds.ts';
import { withId } from './store-order.ts';
import { type CfdiPosition, pageOfCfdis } from './store-records.ts';
import type { CfdiSummary } from './summary.ts';

export const CFDI_FILTERS = {
  from: instant('Emitidos en este instante o después.', '2026-11-01T00:00:00Z'),
  to: instant('Emitidos en este instante o antes.', '2026-11-30T23:59:59Z'),
  type: choice(CFDI_TYPES, 'Solo de este tipo.', 'ingreso'),
  direction: choice(CFDI_DIRECTIONS, 'Solo emitidos, recibidos u otros.', 'issued'),
  status: choice(SAT_STATUSES, 'Solo con este estado SAT.', 'vigente'),
  uuid: wording('Este folio fiscal.', '5f0c8a34-9d1e-4b7a-8c52-2a6b1f0e9d73'),
  order_id: wording('Los vinculados a la orden con este identificador.', '2000009876543210'),
  rfc: wording('Con este RFC como emisor o receptor.', 'XAXX010101000'),
};
export type CfdiFilters = GivenBy<typeof CFDI_FILTERS>;

interface CfdiPage {
  readonly cfdis: readonly CfdiSummary[];
  readonly nextCursor: string | null;
}

/** The tax documents that were read, the newest first. @throws Failure invalid_cursor */
export async function listCfdis(
  scope: ReadScope,
  cursors: CursorMaker,
  query: CfdiFilters & PageQuery,
): Promise<CfdiPage> {
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    asStored(query),
    ({ from, to, type, direction, status, uuid, orderId, rfc, after, limit, ...unread }) => {
      // A filter without a condition does not compile.
      unread satisfies Readonly<Record<string, never>>;
      const order = withId(orderId);
      const conditions = { from, to, type, direction, status, uuid, order, rfc };
      return pageOfCfdis(scope, { ...conditions, after, limit });
    },
  );
  return { cfdis: rows, nextCursor };
}

/** Folios and RFC are stored in upper case. */
export function asStored<Of extends Pick<CfdiFilters, 'uuid' | 'rfc'>>(given: Of): Of {
  const { uuid, rfc } = given;
  return { ...given, uuid: uuid?.toUpperCase() ?? null, rfc: rfc?.toUpperCase() ?? null };
}

/** Null = there is none with this folio. */
export async function summaryOf(scope: ReadScope, uuid: string): Promise<CfdiSummary | null> {
  // No folio has characters that the database cannot store.
  if (!isStorableText(uuid)) return null;
  const [found] = await pageOfCfdis(scope, { ...NO_FILTER, uuid: uuid.toUpperCase() });
  return found ?? null;
}

const NO_FILTER = {
  from: null,
  to: null,
  type: null,
  direction: null,
  status: null,
  order: null,
  rfc: null,
  after: null,
  limit: 1,
};

const WALK: RowWalk<CfdiFilters, CfdiSummary, CfdiPosition> = {
  kind: 'cfdi_records',
  instants: { from: true, to: true },
  positionOf: ({ issuedAt, uuid }) => [epochMicros(issuedAt), uuid],
};
