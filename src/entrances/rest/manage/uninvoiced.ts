import {
  listUninvoiced,
  UNINVOICED,
  UNINVOICED_FILTERS,
  UNINVOICED_SUM,
  uninvoicedSums,
  writeUninvoiced,
  writeUninvoicedSum,
} from '../../../features/cfdi/index.ts';
import { fieldsIn } from '../../../platform/documents.ts';
import { listOf, shape } from '../../../platform/fields.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { queryOf } from '../../query.ts';
import { answeringWith, defineOperation, EVERYWHERE } from '../operation.ts';
import { answerShape, answerText, pageAnswer, pageShape, reading } from './calls.ts';

const EVERY_OPERATION = {
  scope: 'cfdi:read',
  failures: [...EVERYWHERE, 'insufficient_scope' as const],
} as const;
const QUERY = queryOf(inputOf({ ...pageInput({ usual: 50, most: 200 }), ...UNINVOICED_FILTERS }));
const SUMS_QUERY = queryOf(inputOf(UNINVOICED_FILTERS));

const UNINVOICED_SHAPE = shape('Una orden sin CFDI.', fieldsIn('list', UNINVOICED));
const UNINVOICED_SUM_SHAPE = shape('Un mes de un marketplace.', fieldsIn('list', UNINVOICED_SUM));

const SHAPES = {
  UninvoicedOrder: UNINVOICED_SHAPE,
  UninvoicedOrderList: pageShape('Una página de órdenes sin CFDI.', UNINVOICED_SHAPE),
  UninvoicedSumList: answerShape(
    'Las sumas.',
    listOf('Del mes más reciente al más antiguo.', UNINVOICED_SUM_SHAPE),
  ),
};

/** Orders without a CFDI, which `cfdi:read` allows. */
export const UNINVOICED_OPERATIONS = answeringWith(SHAPES, [
  defineOperation({
    ...EVERY_OPERATION,
    path: '/manage/v1/uninvoiced-orders',
    name: 'listUninvoicedOrders',
    summary: 'Lista órdenes sin CFDI',
    description:
      'Facturas pendientes: las órdenes vendidas que no tienen un CFDI de ingreso, de la más reciente a la más antigua. ' +
      'Con `kind=public`, las que van en la factura global de un periodo. Un CFDI cancelado no cuenta; ' +
      'las canceladas, devueltas y reembolsadas no se listan.',
    query: QUERY,
    answer: 'UninvoicedOrderList',
    refused: { limit: '500' },
    failures: [...EVERY_OPERATION.failures, 'invalid_cursor'],
    async run(parts, request) {
      const { orders, nextCursor } = await reading(parts, request, (scope) =>
        listUninvoiced(scope, parts.cursors, request.query),
      );
      const rows = orders.map((one) => writeUninvoiced(one, 'list'));
      return pageAnswer(request, rows, nextCursor);
    },
  }),
  defineOperation({
    ...EVERY_OPERATION,
    path: '/manage/v1/uninvoiced-sums',
    name: 'sumUninvoicedOrders',
    summary: 'Suma las órdenes sin CFDI por mes y marketplace',
    description:
      'Cuántas son y cuánto suman, por mes, marketplace y moneda, con los mismos filtros.',
    query: SUMS_QUERY,
    answer: 'UninvoicedSumList',
    refused: { kind: 'all' },
    async run(parts, request) {
      const { timezone } = request.access.organization;
      const sums = await reading(parts, request, (scope) =>
        uninvoicedSums(scope, request.query, timezone),
      );
      return answerText(request, `[${sums.map((one) => writeUninvoicedSum(one, 'list'))}]`);
    },
  }),
]);
