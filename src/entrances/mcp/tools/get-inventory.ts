import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { listOffers } from '../../../features/connections/index.ts';
import {
  listStock,
  presentLevel,
  STOCK_FILTERS,
  type StockLevel,
  WAREHOUSES,
} from '../../../features/inventory/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { emptyBecause } from '../empty-because.ts';
import { defineTool, LIST_INPUT, LIST_OUTPUT, nullable, paginationOf } from '../tools.ts';
import { Unavailable, unavailable } from '../unavailable.ts';

const input = inputOf({ ...STOCK_FILTERS, ...LIST_INPUT });

const pieces = nullable(z.int());

const Level = z.object({
  marketplace: z.enum(MARKETPLACES),
  account_id: z.string(),
  warehouse: z.enum(WAREHOUSES),
  sku: nullable(z.string()).describe('null si la publicación no tiene SKU.'),
  title: z.string(),
  available: pieces.describe('Piezas a la venta; null si no hay límite.'),
  is_unlimited: z.boolean().describe('true = se vende sin llevar la cuenta.'),
  reserved: pieces.describe(
    'Piezas que están y no se pueden vender (apartadas, en revisión); null si no se informa.',
  ),
  total: pieces.describe('available más reserved; null si falta alguno.'),
  updated_at: z.string().describe('Cuándo cambió por última vez.'),
  item_id: z.string().optional().describe('La publicación en el marketplace; con fields full.'),
  variation_id: nullable(z.string()).optional().describe('La variante, si hay; con fields full.'),
});

export const getInventoryTool = defineTool({
  name: 'get_inventory',
  title: 'Consultar inventario',
  description:
    'Existencias por marketplace, cuenta, almacén y publicación. Todos los filtros se combinan (Y). ' +
    'Para lo que está por agotarse usa max_available. Lo que un marketplace no informa es null o está en ' +
    'unavailable, nunca 0.',
  scope: 'inventory:read',
  stream: 'inventory',
  input,
  output: z.object({
    data: z.array(Level).describe('Los niveles de la página.'),
    ...LIST_OUTPUT,
    unavailable: Unavailable,
  }),
  rowsOf: ({ data }) => data.length,
  async run({ scope, cursors, operator }, { fields, ...query }) {
    const { levels, nextCursor } = await listStock(scope, cursors, query);
    const offers = await listOffers(scope, 'inventory');
    const { limit: _, cursor, ...filters } = query;
    const isThereAny = async (asked: typeof filters) =>
      (await listStock(scope, cursors, { ...asked, cursor: null, limit: 1 })).levels.length > 0;
    return {
      data: levels.map((level) => presentLevel(level, fields)),
      pagination: paginationOf(nextCursor),
      ...(levels.length === 0 &&
        cursor === null && {
          empty_because: await emptyBecause({ filters, isThereAny, offers, rows: 'existencias', operator }),
        }),
      unavailable: unavailable({
        what: 'las existencias',
        offers: offers.filter(({ service }) => isAsked(query.marketplace, service)),
        hasSome: (offer) => levels.some((level) => isOf(level, offer)),
        asked: query.marketplace,
        operator,
      }),
    };
  },
});

function isAsked(asked: readonly string[], service: string): boolean {
  return asked.length === 0 || asked.includes(service);
}

function isOf(level: StockLevel, { service, accountId }: { service: string; accountId: string }): boolean {
  return level.marketplace === service && level.accountId === accountId;
}
