import { z } from 'zod';
import { CARRIERS } from '../../../carriers/contract.ts';
import { serviceName } from '../../../carriers/registry.ts';
import { listOffers } from '../../../features/connections/index.ts';
import { may } from '../../../features/people/index.ts';
import {
  listShipments,
  SHIPMENT,
  SHIPMENT_FILTERS,
  type ShipmentQuery,
  writeShipment,
} from '../../../features/shipments/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { emptyBecause } from '../empty-because.ts';
import { rowOf, VIEW_OF, written } from '../rows.ts';
import { defineTool, LIST_INPUT, LIST_OUTPUT, paginationOf, type ToolCall } from '../tool.ts';

const input = inputOf({ ...SHIPMENT_FILTERS, ...LIST_INPUT });

export const listShipmentsTool = defineTool({
  name: 'list_shipments',
  title: 'Listar envíos',
  description:
    `Lista de envíos y paquetes en paqueterías (${CARRIERS.map(serviceName).join(', ')}): rastreo o rastrea por ` +
    'guía o número; dónde, llega, llegó, viene, salió, envío o paquete de orden o pedido; guías ' +
    'generadas; en camino, reparto o tránsito, recolectados, mandé, mandados, entregados, ' +
    'entregó, entregaron, atorados, detenidos, retraso, incidencia o problemas, dañados, ' +
    'perdidos, regresados. Dirección: solo ciudad y estado. fields full: historial. Devuelve ' +
    'data, por ejemplo {"tracking_number":"605"}.',
  scope: 'shipments:read',
  stream: 'shipments',
  input,
  output: z.object({
    data: z.array(rowOf(SHIPMENT)).describe('Los envíos de la página.'),
    ...LIST_OUTPUT,
  }),
  counted: ['envío', 'envíos'],
  rowsOf: ({ data }) => data.length,
  async run(call, { fields, ...given }) {
    const query = { ...given, withEvents: fields === 'full' };
    const { shipments, nextCursor } = await listShipments(call.scope, call.cursors, query);
    const isEmpty = shipments.length === 0 && query.cursor === null;
    const reader = { seesEarnings: may(call.access.role, 'read_money') };
    return written(
      shipments.map((shipment) => writeShipment(shipment, VIEW_OF[fields], reader)),
      {
        pagination: paginationOf(nextCursor),
        ...(isEmpty && { empty_because: await whyEmpty(call, query) }),
      },
    );
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
