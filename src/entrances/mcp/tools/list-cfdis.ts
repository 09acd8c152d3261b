import { z } from 'zod';
import {
  CFDI_DOCUMENT,
  type CfdiDocument,
  DOCUMENT_FILTERS,
  type DocumentQuery,
  listCfdiDocuments,
  writeCfdiDocument,
} from '../../../features/cfdi/index.ts';
import { listOffers, type Offer } from '../../../features/connections/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { linkTo } from '../../cfdi-downloads.ts';
import { emptyBecause } from '../empty-because.ts';
import { rowOf, written } from '../rows.ts';
import {
  defineTool,
  LIST_INPUT,
  LIST_OUTPUT,
  nullable,
  paginationOf,
  type ToolCall,
} from '../tool.ts';
import { Unavailable, unavailable } from '../unavailable.ts';

const input = inputOf({ ...DOCUMENT_FILTERS, ...LIST_INPUT });

const ROW = rowOf(CFDI_DOCUMENT).extend({
  xml_url: nullable(z.string())
    .optional()
    .describe('Descarga el XML durante 10 minutos; null si no se ha leído. Con fields full.'),
});

export const listCfdisTool = defineTool({
  name: 'list_cfdis',
  title: 'Listar CFDI',
  description:
    'Lista de facturas, CFDI o comprobantes fiscales en SAT: factura de orden o pedido, facturó, ' +
    'facturado, facturar, timbró, timbrado; emitidas, recibidas, vigentes, vigente, canceladas, ' +
    'cancelado; por mes, de ingreso, egreso, nota o notas de crédito, complemento de pago; constancia ' +
    'o constancias de retenciones: ISR, IVA; folio fiscal o UUID, RFC, XML. Facturas sin leer: ' +
    'null, razón en unread_reason, sin filtro. Devuelve data, por ejemplo ' +
    '{"type":"ingreso","total":116}.',
  scope: 'cfdi:read',
  stream: 'invoices',
  input,
  output: z.object({
    data: z.array(ROW).describe('Los documentos de la página.'),
    ...LIST_OUTPUT,
    unavailable: Unavailable,
  }),
  counted: ['CFDI', 'CFDI'],
  rowsOf: ({ data }) => data.length,
  async run(call, { fields, ...query }) {
    const { documents, nextCursor } = await listCfdiDocuments(call.scope, call.cursors, query);
    const offers = await listOffers(call.scope, 'invoices');
    const isEmpty = documents.length === 0 && query.cursor === null;
    return written(
      documents.map((document) =>
        fields === 'full' ? withLink(call, document) : writeCfdiDocument(document, 'list'),
      ),
      {
        pagination: paginationOf(nextCursor),
        ...(isEmpty && { empty_because: await whyEmpty(call, query, offers) }),
        unavailable: unavailable({
          what: 'los CFDI',
          offers,
          hasSome: () => false,
          asked: [],
          operator: call.operator,
        }),
      },
    );
  },
});

function withLink(call: ToolCall, document: CfdiDocument): string {
  const { scope, access, cursors, publicUrl } = call;
  const { isRead, uuid } = document;
  const by = { personId: access.personId, grantId: access.grantId, address: null };
  const owner = { organizationId: scope.organizationId, by };
  const link =
    isRead && uuid !== null
      ? linkTo({ cursors, clock: scope.clock, publicUrl }, owner, uuid).url
      : null;
  return `${writeCfdiDocument(document, 'detail').slice(0, -1)},"xml_url":${JSON.stringify(link)}}`;
}

const READ_FROM_XML = ['type', 'direction', 'status', 'rfc'] as const;

async function whyEmpty(
  { scope, cursors, operator }: ToolCall,
  { limit: _, cursor: __, ...filters }: DocumentQuery,
  offers: readonly Offer[],
): Promise<string> {
  const oneOf = async (asked: typeof filters): Promise<CfdiDocument | undefined> =>
    (await listCfdiDocuments(scope, cursors, { ...asked, cursor: null, limit: 1 })).documents[0];
  const because = await emptyBecause({
    filters,
    isThereAny: async (asked) => (await oneOf(asked)) !== undefined,
    offers,
    rows: 'CFDI',
    operator,
  });
  if (READ_FROM_XML.every((name) => filters[name] === null)) return because;
  const without = { type: null, direction: null, status: null, rfc: null };
  const other = await oneOf({ ...filters, ...without });
  if (other === undefined || other.isRead) return because;
  return `${because} Hay documentos cuyos datos fiscales todavía no se leen, y type, direction, status y rfc no los encuentran.`;
}
