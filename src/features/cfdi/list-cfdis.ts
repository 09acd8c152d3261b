import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { choice, type GivenBy, instant, wording } from '../../platform/input-fields.ts';
import { epochMicros } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { CFDI_STATUSES, CFDI_TYPES, type CfdiDocument } from './document.ts';
import { type DocumentPosition, pageOfDocuments } from './store-page.ts';

export const CFDI_FILTERS = {
  from: instant(
    'Emitidos (o recibidos, si no tienen fecha de emisión) en este instante o después.',
    '2026-11-01T00:00:00Z',
  ),
  to: instant('Emitidos en este instante o antes.', '2026-11-30T23:59:59Z'),
  type: choice(CFDI_TYPES, 'Solo de este tipo de comprobante.', 'ingreso'),
  status: choice(CFDI_STATUSES, 'Solo con este estado ante el SAT.', 'vigente'),
  uuid: wording('Este folio fiscal.', '5f0c8a34-9d1e-4b7a-8c52-2a6b1f0e9d73'),
  order_id: wording('Los de la orden con este identificador.', '2000009876543210'),
  rfc: wording('RFC del emisor o del receptor.', 'XAXX010101000'),
};
type CfdiFilters = GivenBy<typeof CFDI_FILTERS>;
export type CfdiQuery = CfdiFilters & PageQuery;

interface CfdiPage {
  readonly documents: readonly CfdiDocument[];
  readonly nextCursor: string | null;
}

/** The newest first. @throws Failure invalid_cursor */
export async function listCfdis(
  scope: ReadScope,
  cursors: CursorMaker,
  query: CfdiQuery,
): Promise<CfdiPage> {
  const given = {
    ...query,
    uuid: query.uuid?.toUpperCase() ?? null,
    rfc: query.rfc?.toUpperCase() ?? null,
  };
  const { rows, nextCursor } = await readPage(WALK, scope, cursors, given, (request) =>
    pageOfDocuments(scope, request),
  );
  return { documents: rows, nextCursor };
}

const WALK: RowWalk<CfdiFilters, CfdiDocument, DocumentPosition> = {
  kind: 'cfdis',
  instants: { from: true, to: true },
  positionOf: ({ listedAt, marketplace, accountId, id }) => [
    epochMicros(listedAt),
    marketplace,
    accountId,
    id,
  ],
};
