import { z } from 'zod';
import { listOffers } from '../../../features/connections/index.ts';
import {
  LEVEL,
  listStock,
  STOCK_FILTERS,
  type StockLevel,
  writeLevel,
} from '../../../features/inventory/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { emptyBecause } from '../empty-because.ts';
import { rowOf, VIEW_OF, written } from '../rows.ts';
import { defineTool, LIST_INPUT, LIST_OUTPUT, paginationOf } from '../tool.ts';
import { Unavailable, unavailable } from '../unavailable.ts';

const input = inputOf({ ...STOCK_FILTERS, ...LIST_INPUT });

export const getInventoryTool = defineTool({
  name: 'get_inventory',
  title: 'Consultar inventario',
  description:
    'Inventario, existencias, stock o disponibilidad en almacén o bodega (Full): piezas, ' +
    'unidades, productos, artículos o mercancía; hay, queda, quedan, guardada, apartada, ' +
    'reservada, disponible, disponibles por SKU, talla o color; agotado, agotó, agotaron, agotar, ' +
    'agotarse, agotados, terminó, acabando, cero, menos de max_available; resurtir, surtir, ' +
    'reabastecer, comprar. Sin informar: null o unavailable, nunca 0. Devuelve data, por ejemplo ' +
    '{"sku":"VASO","available":4}.',
  scope: 'inventory:read',
  stream: 'inventory',
  input,
  output: z.object({
    data: z.array(rowOf(LEVEL)).describe('Los niveles de la página.'),
    ...LIST_OUTPUT,
    unavailable: Unavailable,
  }),
  counted: ['nivel de existencias', 'niveles de existencias'],
  rowsOf: ({ data }) => data.length,
  async run({ scope, cursors, operator }, { fields, ...query }) {
    const { levels, nextCursor } = await listStock(scope, cursors, query);
    const offers = await listOffers(scope, 'inventory');
    const { limit: _, cursor, ...filters } = query;
    const isThereAny = async (asked: typeof filters) =>
      (await listStock(scope, cursors, { ...asked, cursor: null, limit: 1 })).levels.length > 0;
    const isEmpty = levels.length === 0 && cursor === null;
    return written(
      levels.map((level) => writeLevel(level, VIEW_OF[fields])),
      {
        pagination: paginationOf(nextCursor),
        ...(isEmpty && {
          empty_because: await emptyBecause({
            filters,
            isThereAny,
            offers,
            rows: 'existencias',
            operator,
          }),
        }),
        unavailable: unavailable({
          what: 'las existencias',
          offers: offers.filter(({ service }) => isAsked(query.marketplace, service)),
          hasSome: (offer) => levels.some((level) => isOf(level, offer)),
          asked: query.marketplace,
          operator,
        }),
      },
    );
  },
});

function isAsked(asked: readonly string[], service: string): boolean {
  return asked.length === 0 || asked.includes(service);
}

function isOf(
  level: StockLevel,
  { service, accountId }: { service: string; accountId: string },
): boolean {
  return level.marketplace === service && level.accountId === accountId;
}
