import { z } from 'zod';
import { CARRIERS, SHIPMENT_CATEGORIES } from '../../../carriers/contract.ts';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { may } from '../../../features/accounts/index.ts';
import { listOffers } from '../../../features/connections/index.ts';
import {
  listShipments,
  presentListed,
  SHIPMENT_FILTERS,
  type ShipmentQuery,
} from '../../../features/shipments/index.ts';
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

const input = inputOf({ ...SHIPMENT_FILTERS, ...LIST_INPUT });

const City = nullable(z.object({ city: nullable(z.string()), state: nullable(z.string()) }));
const inFull = 'Con fields full.';
const measure = nullable(z.number());

const Shipment = z.object({
  id: z.string().describe('El envío en la paquetería.'),
  carrier: z.enum(CARRIERS),
  account_id: z.string(),
  tracking_number: nullable(z.string()).describe('Número de rastreo; null si todavía no tiene.'),
  guide_number: nullable(z.string()).describe('Número de guía; null si todavía no tiene.'),
  status: z.enum(SHIPMENT_CATEGORIES).describe('Categoría del envío, igual para todas las paqueterías.'),
  carrier_status: z.string().describe('El estado con las palabras de la paquetería.'),
  is_return: z
    .boolean()
    .describe(
      'true: regresa mercancía al vendedor. No es la entrega de la orden; ENTREGADO es de vuelta contigo.',
    ),
  cost: nullable(amount('Lo que costó el envío.'))
    .optional()
    .describe(
      'null si la paquetería no lo informa. Falta si el papel de la persona en su organización no ve el dinero del vendedor.',
    ),
  currency: z.string(),
  created_at: z.string(),
  delivered_at: nullable(z.string()).describe('null si no se ha entregado.'),
  estimated_delivery: nullable(z.string()).describe('null si la paquetería no lo informa.'),
  destination: City.describe('Ciudad y estado de destino; null si no se informa.'),
  order_ref: z
    .object({
      reference: nullable(z.string()).describe('Cómo nombra la paquetería a la orden.'),
      marketplace: nullable(z.enum(MARKETPLACES)),
      account_id: nullable(z.string()),
      order_id: nullable(z.string()).describe('null si no se encontró la orden.'),
    })
    .describe('La orden que lleva.'),
  is_damaged: z.boolean().optional().describe(inFull),
  parent_id: nullable(z.string())
    .optional()
    .describe(`El envío de la misma cuenta al que sigue: el que regresa o el que reemplaza. ${inFull}`),
  final_carrier: nullable(z.string()).optional().describe(`Quién entrega. ${inFull}`),
  service_type: nullable(z.string()).optional().describe(inFull),
  declared_value: nullable(amount('Valor declarado.')).optional().describe(inFull),
  picked_up_at: nullable(z.string()).optional().describe(inFull),
  origin: City.optional().describe(`Ciudad y estado de origen. ${inFull}`),
  contents: nullable(z.string()).optional().describe(inFull),
  weight_kg: measure.optional().describe(inFull),
  dimensions_cm: z
    .array(z.object({ length: measure, width: measure, height: measure }))
    .optional()
    .describe(`De cada paquete. ${inFull}`),
  events: z
    .array(
      z.object({
        code: z.string().describe('El código de la paquetería.'),
        status: nullable(z.enum(SHIPMENT_CATEGORIES)).describe('null si el código no se conoce todavía.'),
        description: nullable(z.string()),
        location: nullable(z.string()),
        occurred_at: z.string(),
        source: z.string().describe('Por dónde se supo.'),
      }),
    )
    .optional()
    .describe(`Lo que le pasó, del primero al último. ${inFull}`),
});

export const listShipmentsTool = defineTool({
  name: 'list_shipments',
  title: 'Listar envíos',
  description:
    'Los envíos en paqueterías, del más reciente al más antiguo. Todos los filtros se combinan (Y). ' +
    'Con fields full trae también el historial de cada uno. De direcciones solo hay ciudad y estado.',
  scope: 'shipments:read',
  stream: 'shipments',
  input,
  output: z.object({ data: z.array(Shipment).describe('Los envíos de la página.'), ...LIST_OUTPUT }),
  rowsOf: ({ data }) => data.length,
  async run(call, { fields, ...given }) {
    const query = { ...given, withEvents: fields === 'full' };
    const { shipments, nextCursor } = await listShipments(call.scope, call.cursors, query);
    const isEmpty = shipments.length === 0 && query.cursor === null;
    const seesCost = may(call.access.role, 'read_money');
    const answer = {
      data: shipments.map((shipment) => presentListed(shipment, { fields, seesCost })),
      pagination: paginationOf(nextCursor),
      ...(isEmpty && { empty_because: await whyEmpty(call, query) }),
    };
    return { written: JSON.stringify(answer), rows: shipments.length };
  },
});

async function whyEmpty(
  { scope, cursors, operator }: ToolCall,
  { limit: _, cursor: __, withEvents: ___, ...filters }: ShipmentQuery,
): Promise<string> {
  const one = { cursor: null, limit: 1, withEvents: false };
  return emptyBecause({
    filters,
    isThereAny: async (asked) =>
      (await listShipments(scope, cursors, { ...asked, ...one })).shipments.length > 0,
    offers: await listOffers(scope, 'shipments'),
    rows: 'envíos',
    operator,
  });
}
