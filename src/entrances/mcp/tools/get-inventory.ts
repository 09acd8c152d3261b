import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { listOffers } from '../../../features/connections/index.ts';
import { listStock, presentLevel, type StockLevel, WAREHOUSES } from '../../../features/inventory/index.ts';
import { emptyBecause } from '../empty-because.ts';
import { wording } from '../texts.ts';
import {
  defineTool,
  LIST_INPUT,
  LIST_OUTPUT,
  listOf,
  nullable,
  paginationOf,
  type ToolCall,
} from '../tools.ts';
import { Unavailable, unavailable } from '../unavailable.ts';

const FILTERS = {
  sku: wording('Exactamente este SKU, con las mismas mayúsculas.'),
  query: wording('Parte del SKU o del título; no importan mayúsculas ni acentos.'),
  marketplace: listOf(MARKETPLACES, 'Solo de estos marketplaces.'),
  warehouse: z
    .enum(WAREHOUSES)
    .optional()
    .describe('seller: lo que tiene el vendedor. marketplace: lo que guarda el marketplace (Full, FBA).'),
  max_available: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe(
      'Solo donde quedan a lo más tantas piezas, de menos a más; nunca lo que se vende sin límite. ' +
        'Un nivel que cambia mientras recorres las páginas puede repetirse o faltar.',
    ),
};
const input = z.strictObject({ ...FILTERS, ...LIST_INPUT });
type Input = z.output<typeof input>;

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
  async run(call, given) {
    const { levels, nextCursor } = await pageOf(call, given);
    const offers = await listOffers(call.scope, 'inventory');
    const isEmpty = levels.length === 0 && given.cursor === undefined;
    const { limit: _, cursor: __, fields, ...filters } = given;
    const isThereAny = async (asked: typeof filters) =>
      (await pageOf(call, { ...asked, fields, limit: 1 })).levels.length > 0;
    return {
      data: levels.map((level) => presentLevel(level, fields)),
      pagination: paginationOf(nextCursor),
      ...(isEmpty && {
        empty_because: await emptyBecause({ filters, isThereAny, offers, rows: 'existencias' }),
      }),
      unavailable: unavailable({
        what: 'las existencias',
        offers: offers.filter(({ service }) => isAsked(given.marketplace, service)),
        hasSome: (offer) => levels.some((level) => isOf(level, offer)),
        asked: given.marketplace ?? [],
      }),
    };
  },
});

function pageOf({ scope, cursors }: ToolCall, { sku, query, marketplace, warehouse, ...rest }: Input) {
  return listStock(scope, cursors, {
    sku: sku ?? null,
    query: query ?? null,
    marketplace: marketplace ?? [],
    warehouse: warehouse ?? null,
    maxAvailable: rest.max_available ?? null,
    limit: rest.limit,
    cursor: rest.cursor ?? null,
  });
}

function isAsked(asked: readonly string[] | undefined, service: string): boolean {
  return asked === undefined || asked.length === 0 || asked.includes(service);
}

function isOf(level: StockLevel, { service, accountId }: { service: string; accountId: string }): boolean {
  return level.marketplace === service && level.accountId === accountId;
}
