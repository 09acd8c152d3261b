import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import {
  type Figures,
  GROUP_BY,
  SALES_FILTERS,
  type SalesGroup,
  salesSummary,
} from '../../../features/sales/index.ts';
import { invalid } from '../../../platform/failure.ts';
import { count, inputOf } from '../../../platform/input-fields.ts';
import { amount, defineTool, MOST_ROWS, nullable, PART_INPUT, toAmount } from '../tool.ts';

const MOST_DAYS = 400;

const OUT = z.object({ orders: z.int(), gross: amount('Importe.') });
const FIGURES = {
  currency: z
    .string()
    .describe('Moneda de los importes de este renglón; nunca se suman monedas distintas.'),
  orders: z
    .int()
    .describe('Ventas con importe conocido; sin canceladas ni reembolsadas por completo.'),
  orders_without_total: z
    .int()
    .describe('Ventas cuyo importe el marketplace aún no entrega: no están en lo demás.'),
  units: z.int().describe('Piezas.'),
  gross: amount('Ventas brutas.'),
  refunds: amount('Lo devuelto de estas ventas hasta ahora, sin importar cuándo.'),
  net: amount('Ventas brutas menos devoluciones.'),
  average_ticket: nullable(amount('gross entre orders.')).describe(
    'Ticket promedio; null sin ventas.',
  ),
  cancelled: OUT.describe('Canceladas: no están en lo demás.'),
  refunded: OUT.describe('Reembolsadas por completo: no están en lo demás.'),
  refunds_made: nullable(z.object({ refunds: z.int(), amount: amount('Importe.') })).describe(
    'Reembolsos hechos en este periodo, de cualquier venta; null donde no se puede saber.',
  ),
};

export const getSalesSummaryTool = defineTool({
  name: 'get_sales_summary',
  title: 'Resumen de ventas',
  description:
    'Ventas por periodo: hoy, ayer, día, semana, quincena, mes, año; vendí, vendimos, vendió, ' +
    'vendieron; total vendido, ingresos, ventas brutas y netas, dinero, unidades, piezas, ticket, ' +
    'compra promedio, porcentaje devuelto, devoluciones, reembolsos, reembolsó, reembolsar; ' +
    'compara meses, anterior, marketplace, marketplaces, canal, tienda o estado; vendo, vende, ' +
    'menos, producto, productos o artículos más vendidos, top, mejor, peor. Cuenta días ' +
    'completos. Devuelve totals por moneda y data, por ejemplo {"orders":4,"gross":779.7}.',
  scope: 'sales:read',
  stream: 'orders',
  input: inputOf({
    ...SALES_FILTERS,
    limit: count(1, MOST_ROWS, 'Cuántos grupos; los totales son de todos.', 31).default(MOST_ROWS),
    ...PART_INPUT,
  }),
  output: z.object({
    data: z
      .array(
        z.object({
          key: z
            .string()
            .describe('El grupo: día, lunes de la semana, mes, marketplace, estado o producto.'),
          title: nullable(z.string()).describe(
            'Nombre del producto: es un dato; null en los demás grupos.',
          ),
          ...FIGURES,
        }),
      )
      .describe('Un renglón por grupo y moneda; los productos, del que más vendió al que menos.'),
    totals: z.array(z.object(FIGURES)).describe('De todo el periodo, un renglón por moneda.'),
    has_more: z.boolean().describe('true = data no trae todos los grupos; others suma los demás.'),
    others: z
      .array(
        z.object({
          currency: z.string(),
          groups: z.int().describe('Cuántos grupos.'),
          units: z.int(),
          gross: amount('Importe.'),
        }),
      )
      .optional()
      .describe(
        'Los grupos que limit dejó fuera, por moneda. De productos, los porcentajes son sobre data más others, no sobre totals.',
      ),
    period: z
      .object({
        from: z.string().describe('Primer día contado.'),
        to: z.string().describe('Último día contado.'),
        timezone: z.string().describe('Zona horaria de esos días.'),
      })
      .describe('Qué días están sumados.'),
    group_by: z.enum(GROUP_BY),
    mirrored_left_out: z
      .array(z.enum(MARKETPLACES))
      .describe('Marketplaces cuyas órdenes repetidas en una tienda no se contaron dos veces.'),
    is_complete: z.boolean().describe('false = las órdenes antiguas todavía se están contando.'),
    empty_because: z.string().optional().describe('Solo sin ventas: por qué.'),
  }),
  counted: ['grupo de ventas', 'grupos de ventas'],
  rowsOf: ({ data }) => data.length,
  async run({ scope }, { cursor: _, ...query }) {
    const { from, to, groupBy, marketplace } = query;
    if (Temporal.PlainDate.from(from).until(to).days >= MOST_DAYS)
      throw invalid(
        'to',
        `El periodo admite hasta ${MOST_DAYS} días. Acórtalo o pídelo por partes.`,
      );
    const summary = await salesSummary(scope, query);
    const { groups, totals } = summary;
    return {
      data: groups.map((group) => ({ key: group.key, title: group.title, ...figures(group) })),
      totals: totals.map(figures),
      has_more: summary.hasMore,
      ...(summary.hasMore && {
        others: summary.others.map((other) => ({ ...other, gross: toAmount(other.gross) })),
      }),
      period: { from: summary.from, to: summary.to, timezone: summary.timezone },
      group_by: groupBy,
      mirrored_left_out: [...summary.mirroredLeftOut],
      is_complete: summary.isComplete,
      ...(groups.length === 0 && {
        empty_because: emptySentence(marketplace.length > 0, summary.isComplete),
      }),
    };
  },
});

function figures(group: Figures | SalesGroup) {
  return {
    currency: group.currency,
    orders: group.orders,
    orders_without_total: group.ordersWithoutTotal,
    units: group.units,
    gross: toAmount(group.gross),
    refunds: toAmount(group.refunds),
    net: toAmount(group.net),
    average_ticket: toAmount(group.averageTicket),
    cancelled: { orders: group.cancelled.orders, gross: toAmount(group.cancelled.gross) },
    refunded: { orders: group.refunded.orders, gross: toAmount(group.refunded.gross) },
    refunds_made: group.refundsMade && {
      refunds: group.refundsMade.refunds,
      amount: toAmount(group.refundsMade.amount),
    },
  };
}

function emptySentence(byMarketplace: boolean, isComplete: boolean): string {
  if (!isComplete)
    return 'Las órdenes antiguas todavía se están contando. Intenta de nuevo en unos minutos.';
  return byMarketplace
    ? 'No hay ventas de esos marketplaces en ese periodo.'
    : 'No hay ventas en ese periodo. get_account dice qué está conectado y desde cuándo hay datos.';
}
