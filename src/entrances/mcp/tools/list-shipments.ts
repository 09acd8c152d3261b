import { z } from 'zod';
import { CARRIERS, SHIPMENT_CATEGORIES } from '../../../carriers/contract.ts';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { may } from '../../../features/accounts/index.ts';
import { listOffers } from '../../../features/connections/index.ts';
import { listShipments, presentListed } from '../../../features/shipments/index.ts';
import { emptyBecause } from '../empty-because.ts';
import { refuseBackwards, wording } from '../texts.ts';
import {
  amount,
  defineTool,
  instant,
  LIST_INPUT,
  LIST_OUTPUT,
  listOf,
  nullable,
  paginationOf,
  type ToolCall,
} from '../tools.ts';

const FILTERS = {
  carrier: z.enum(CARRIERS).optional().describe('Solo de esta paquetería.'),
  category: listOf(SHIPMENT_CATEGORIES, 'Solo en estas categorías.'),
  tracking_number: wording('Exactamente este número de rastreo o de guía.'),
  order_id: wording('Los que llevan la orden con este identificador del marketplace.'),
  from: instant('Creados en este instante o después.').optional(),
  to: instant('Creados en este instante o antes.').optional(),
};
const input = z.strictObject({ ...FILTERS, ...LIST_INPUT });
type Input = z.output<typeof input>;

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
  async run(call, given) {
    refuseBackwards(given.from, given.to);
    const { shipments, nextCursor } = await pageOf(call, given);
    const isEmpty = shipments.length === 0 && given.cursor === undefined;
    const seesCost = may(call.access.role, 'read_money');
    const answer = {
      data: shipments.map((shipment) => presentListed(shipment, { fields: given.fields, seesCost })),
      pagination: paginationOf(nextCursor),
      ...(isEmpty && { empty_because: await whyEmpty(call, given) }),
    };
    return { written: JSON.stringify(answer), rows: shipments.length };
  },
});

function pageOf({ scope, cursors }: ToolCall, given: Input) {
  return listShipments(scope, cursors, {
    carrier: given.carrier ?? null,
    category: given.category ?? [],
    trackingNumber: given.tracking_number ?? null,
    orderId: given.order_id ?? null,
    from: given.from ?? null,
    to: given.to ?? null,
    limit: given.limit,
    cursor: given.cursor ?? null,
    withEvents: given.fields === 'full',
  });
}

async function whyEmpty(call: ToolCall, { limit: _, cursor: __, ...filters }: Input): Promise<string> {
  const { fields: ___, ...asked } = filters;
  return emptyBecause({
    filters: asked,
    isThereAny: async (other) =>
      (await pageOf(call, { ...other, fields: 'compact', limit: 1 })).shipments.length > 0,
    offers: await listOffers(call.scope, 'shipments'),
    rows: 'envíos',
  });
}
