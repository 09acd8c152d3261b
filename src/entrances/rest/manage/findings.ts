import {
  FINDING,
  FINDING_FILTERS,
  listFindings,
  WITHHELD,
  withheldPeriods,
  writeFinding,
  writeWithheld,
} from '../../../features/findings/index.ts';
import { fieldsIn } from '../../../platform/documents.ts';
import { listOf, shape } from '../../../platform/fields.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { queryOf } from '../../query.ts';
import { answeringWith, defineOperation, EVERYWHERE } from '../operation.ts';
import { answerShape, answerText, pageAnswer, pageShape, reading } from './calls.ts';

const EVERY_OPERATION = {
  scope: 'balances:read',
  failures: [...EVERYWHERE, 'insufficient_scope' as const],
} as const;
const QUERY = queryOf(inputOf({ ...pageInput({ usual: 50, most: 200 }), ...FINDING_FILTERS }));

const FINDING_SHAPE = shape('Un hallazgo.', fieldsIn('list', FINDING));
const WITHHELD_SHAPE = shape('Un periodo.', fieldsIn('list', WITHHELD));

const SHAPES = {
  Finding: FINDING_SHAPE,
  FindingList: pageShape('Una página de hallazgos.', FINDING_SHAPE),
  WithheldTaxList: answerShape(
    'Los impuestos retenidos.',
    listOf('Del mes más reciente al más antiguo.', WITHHELD_SHAPE),
  ),
};

/** Findings and withheld taxes, which `balances:read` allows. */
export const FINDING_OPERATIONS = answeringWith(SHAPES, [
  defineOperation({
    ...EVERY_OPERATION,
    path: '/manage/v1/findings',
    name: 'listFindings',
    summary: 'Lista hallazgos',
    description:
      'Lo que no cuadra entre tus órdenes, movimientos, pagos y CFDI, del más reciente al más antiguo. Los filtros se combinan (Y).',
    query: QUERY,
    answer: 'FindingList',
    refused: { limit: '500' },
    failures: [...EVERY_OPERATION.failures, 'invalid_cursor'],
    async run(parts, request) {
      const { findings, nextCursor } = await reading(parts, request, (scope) =>
        listFindings(scope, parts.cursors, request.query),
      );
      const rows = findings.map((one) => writeFinding(one, 'list'));
      return pageAnswer(request, rows, nextCursor);
    },
  }),
  defineOperation({
    ...EVERY_OPERATION,
    path: '/manage/v1/withheld-taxes',
    name: 'listWithheldTaxes',
    summary: 'Lista los impuestos retenidos por mes',
    description:
      'Lo retenido de ISR e IVA en los últimos 36 meses según los movimientos de tus cuentas, junto a tus constancias de ' +
      'retenciones y la diferencia, en pesos; del mes más reciente al más antiguo.',
    answer: 'WithheldTaxList',
    async run(parts, request) {
      const { timezone } = request.access.organization;
      const periods = await reading(parts, request, (scope) => withheldPeriods(scope, timezone));
      return answerText(request, `[${periods.map((one) => writeWithheld(one, 'list'))}]`);
    },
  }),
]);
