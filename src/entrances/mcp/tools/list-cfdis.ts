import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import {
  CFDI_FILTERS,
  CFDI_STATUSES,
  CFDI_TYPES,
  type CfdiDocument,
  type CfdiQuery,
  listCfdis,
  presentCfdi,
} from '../../../features/cfdi/index.ts';
import { listOffers, type Offer } from '../../../features/connections/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { emptyBecause } from '../empty-because.ts';
import {
  amount,
  defineTool,
  LIST_INPUT,
  LIST_OUTPUT,
  nullable,
  paginationOf,
  type ToolCall,
} from '../tools.ts';
import { Unavailable, unavailable } from '../unavailable.ts';

const input = inputOf({ ...CFDI_FILTERS, ...LIST_INPUT });

const Cfdi = z.object({
  marketplace: z.enum(MARKETPLACES).describe('Quién guarda el documento.'),
  uuid: nullable(z.string()).describe('Folio fiscal; null si todavía no se sabe.'),
  type: nullable(z.enum(CFDI_TYPES)).describe('Tipo de comprobante; null si todavía no se sabe.'),
  status: nullable(z.enum(CFDI_STATUSES)).describe('Estado ante el SAT; null si no se ha consultado.'),
  issued_at: nullable(z.string()).describe('Cuándo se emitió; null si todavía no se sabe.'),
  total: nullable(amount('Total del comprobante.')).describe('null si todavía no se sabe.'),
  currency: nullable(z.string()).describe('Moneda del total; null si todavía no se sabe.'),
  issuer_rfc: nullable(z.string()).describe('RFC del emisor; null si todavía no se sabe.'),
  receiver_rfc: nullable(z.string()).describe('RFC del receptor; null si todavía no se sabe.'),
  order_ids: z.array(z.string()).describe('Las órdenes que ampara, hasta 50.'),
  has_more_orders: z.boolean().describe('true = ampara más de 50 órdenes.'),
  unread_reason: nullable(z.string()).describe('Por qué faltan los datos fiscales; null si se leyeron.'),
  id: z.string().optional().describe('El documento en el marketplace; con fields full.'),
  account_id: z.string().optional().describe('La cuenta del marketplace; con fields full.'),
  file_name: nullable(z.string()).optional().describe('Con fields full.'),
  xml_size_bytes: nullable(z.int())
    .optional()
    .describe('Tamaño del XML; null si el marketplace no lo entregó. Con fields full.'),
  received_at: z.string().optional().describe('Cuándo se recibió; con fields full.'),
});

export const listCfdisTool = defineTool({
  name: 'list_cfdis',
  title: 'Listar CFDI',
  description:
    'Los CFDI que los marketplaces guardan de las órdenes, del más reciente al más antiguo: metadatos y totales. ' +
    'Todos los filtros se combinan (Y). El XML todavía no se puede descargar por aquí. Donde los datos fiscales de ' +
    'un documento aún no se leen son null, unread_reason dice por qué, y type, status y rfc no lo encuentran.',
  scope: 'cfdi:read',
  stream: 'invoices',
  input,
  output: z.object({
    data: z.array(Cfdi).describe('Los documentos de la página.'),
    ...LIST_OUTPUT,
    unavailable: Unavailable,
  }),
  rowsOf: ({ data }) => data.length,
  async run(call, { fields, ...query }) {
    const { documents, nextCursor } = await listCfdis(call.scope, call.cursors, query);
    const offers = await listOffers(call.scope, 'invoices');
    const isEmpty = documents.length === 0 && query.cursor === null;
    const answer = {
      data: documents.map((document) => presentCfdi(document, fields)),
      pagination: paginationOf(nextCursor),
      ...(isEmpty && { empty_because: await whyEmpty(call, query, offers) }),
      unavailable: unavailable({
        what: 'los CFDI',
        offers,
        hasSome: () => false,
        asked: [],
        operator: call.operator,
      }),
    };
    return { written: JSON.stringify(answer), rows: documents.length };
  },
});

const READ_FROM_XML = ['type', 'status', 'rfc'] as const;

async function whyEmpty(
  { scope, cursors, operator }: ToolCall,
  { limit: _, cursor: __, ...filters }: CfdiQuery,
  offers: readonly Offer[],
): Promise<string> {
  const oneOf = async (asked: typeof filters): Promise<CfdiDocument | undefined> =>
    (await listCfdis(scope, cursors, { ...asked, cursor: null, limit: 1 })).documents[0];
  const because = await emptyBecause({
    filters,
    isThereAny: async (asked) => (await oneOf(asked)) !== undefined,
    offers,
    rows: 'CFDI',
    operator,
  });
  if (READ_FROM_XML.every((name) => filters[name] === null)) return because;
  const other = await oneOf({ ...filters, type: null, status: null, rfc: null });
  if (other === undefined || other.readAt !== null) return because;
  return `${because} Hay documentos cuyos datos fiscales todavía no se leen, y type, status y rfc no los encuentran.`;
}
