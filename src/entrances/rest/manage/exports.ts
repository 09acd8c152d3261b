import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import {
  askForExport,
  DAYS_MEAN,
  deleteExport,
  EXPORT_SHAPE,
  EXPORTS,
  exportJson,
  FORMAT_MEANS,
  FORMAT_NAMES,
  getExport,
  type KeptExport,
  listExports,
  WHAT_NAMES,
} from '../../../features/exports/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { fail } from '../../../platform/failure.ts';
import { flag, listOf, shape, text } from '../../../platform/fields.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { inputOf, orNull, wording } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { makeExportLink } from '../../export-links.ts';
import { queueExport } from '../../queue-export.ts';
import { bodyInput } from '../body-input.ts';
import {
  answeringWith,
  defineOperation,
  EVERYWHERE,
  type OperationParts,
  type OperationRequest,
} from '../operation.ts';
import { answer, answerShape, reading, writing, writingOnce } from './calls.ts';

const PATH = '/manage/v1/exports';
const ID_MEANS = {
  description: 'Identificador de la exportación.',
  example: '019a8f56-3f5a-7b86-8e97-8c3d2a6fab51',
};
const DAY_LENGTH = '2026-10-01'.length;
/** Kinds that can be of one marketplace alone. */
const NARROWED = WHAT_NAMES.filter((what) => EXPORTS[what].isByMarketplace);
const CREATE = bodyInput(
  inputOf({
    what: z.enum(WHAT_NAMES).meta({
      description: 'Qué se exporta. La clave necesita también el permiso de esos datos.',
      examples: ['orders'],
    }),
    format: z.enum(FORMAT_NAMES).meta({ description: FORMAT_MEANS, examples: ['csv'] }),
    from: wording(
      `Desde este día, AAAA-MM-DD, ${DAYS_MEAN}; sin él, desde el primero.`,
      '2026-10-01',
      DAY_LENGTH,
    ),
    to: wording('Hasta este día, incluido; sin él, hasta el último.', '2026-10-31', DAY_LENGTH),
    marketplace: orNull(
      z.enum(MARKETPLACES).meta({
        description: `Solo de este marketplace; para ${NARROWED.join(', ')}.`,
        examples: [MARKETPLACES[0]],
      }),
    ),
  }),
);

const EVERY_OPERATION = {
  scope: 'exports:write',
  failures: [...EVERYWHERE, 'insufficient_scope' as const],
} as const;
const OF_ONE = {
  ...EVERY_OPERATION,
  path: `${PATH}/{id}`,
  idMeans: ID_MEANS,
  failures: [...EVERY_OPERATION.failures, 'not_found' as const],
};

const SHAPES = {
  OneExport: answerShape('Una exportación.', EXPORT_SHAPE),
  ExportList: answerShape(
    'Las exportaciones.',
    listOf('De la más reciente a la más antigua.', EXPORT_SHAPE),
  ),
  DeletedExport: answerShape(
    'Lo que se eliminó.',
    shape('La exportación.', {
      id: text('Su identificador.', '019a8f56-3f5a-7b86-8e97-8c3d2a6fab51'),
      deleted: flag('Siempre `true`.', true),
    }),
  ),
};

/** What `exports:write` allows. */
export const EXPORT_OPERATIONS = answeringWith(SHAPES, [
  defineOperation({
    ...EVERY_OPERATION,
    path: PATH,
    name: 'listExports',
    summary: 'Lista tus exportaciones',
    description: 'De la más reciente a la más antigua, las de los datos que tu clave puede leer.',
    answer: 'ExportList',
    async run(parts, request) {
      const found = await reading(parts, request, async (scope) =>
        (await listExports(scope))
          .filter((kept) => mayRead(request, kept))
          .map((kept) => jsonOf(parts, request, scope, kept)),
      );
      return answer(request, found);
    },
  }),
  defineOperation({
    ...EVERY_OPERATION,
    write: { method: 'POST', body: CREATE, status: 202, isOnce: true },
    path: PATH,
    name: 'createExport',
    summary: 'Pide una exportación',
    description:
      'Se hace en segundo plano: consulta cómo va con su identificador. Todas las filas están como en un mismo instante. ' +
      'Hasta 3 en curso; se guardan 7 días.',
    answer: 'OneExport',
    failures: [...EVERY_OPERATION.failures, 'export_limit_reached', 'idempotency_key_reused'],
    async run(parts, request) {
      const { what, format, from, to, marketplace } = request.fields;
      requireScope(request, what);
      const wish = { id: newId(), what, format, from, to, marketplace, view: 'whole' as const };
      const made = await writingOnce(parts, request, 'createExport', async (scope, by) => {
        const { kept } = await askForExport(scope, by, wish);
        await queueExport(parts.exchange.queue, scope, kept.id);
        return jsonOf(parts, request, scope, kept);
      });
      return answer(request, made);
    },
  }),
  defineOperation({
    ...OF_ONE,
    name: 'getExport',
    summary: 'Consulta una exportación',
    description:
      'Cómo va y, cuando está lista, de dónde se descarga: una dirección que sirve 15 minutos y admite rangos. ' +
      'Consúltala de nuevo para tener otra.',
    answer: 'OneExport',
    async run(parts, request) {
      const found = await reading(parts, request, async (scope) =>
        jsonOf(parts, request, scope, await asked(request, scope)),
      );
      return answer(request, found);
    },
  }),
  defineOperation({
    ...OF_ONE,
    write: { method: 'DELETE', body: null, status: 200 },
    name: 'deleteExport',
    summary: 'Elimina una exportación',
    description: 'También una en curso, que se detiene. Sus enlaces dejan de servir.',
    answer: 'DeletedExport',
    async run(parts, request) {
      const deleted = await writing(parts, request, async (scope, by) => {
        const { id } = await asked(request, scope);
        await deleteExport(scope, by, id);
        return { id, deleted: true };
      });
      return answer(request, deleted);
    },
  }),
]);

/** @throws Failure insufficient_scope */
function requireScope({ access }: OperationRequest, what: KeptExport['what']): void {
  const { scope } = EXPORTS[what];
  if (!access.key.scopes.includes(scope))
    throw fail('insufficient_scope', {
      message: `Para exportar estos datos la clave necesita también el permiso ${scope}.`,
      details: { required_scope: scope },
    });
}

function mayRead({ access }: OperationRequest, { what }: KeptExport): boolean {
  return access.key.scopes.includes(EXPORTS[what].scope);
}

/** @throws Failure not_found, insufficient_scope */
async function asked(request: OperationRequest, scope: ReadScope): Promise<KeptExport> {
  const { id } = request;
  if (!isId(id))
    throw fail('not_found', { message: 'No existe una exportación con ese identificador.' });
  const kept = await getExport(scope, id);
  requireScope(request, kept.what);
  return kept;
}

function jsonOf(
  { cursors, publicUrl }: OperationParts,
  { access, address }: OperationRequest,
  { organizationId, clock }: ReadScope,
  kept: KeptExport,
) {
  if (kept.state !== 'done') return exportJson(kept, null);
  const by = { keyId: access.key.id, address };
  const maker = { cursors, publicUrl: publicUrl(), now: clock.now() };
  const link = makeExportLink(maker, { organizationId, exportId: kept.id, by });
  return exportJson(kept, { url: link.url, expires_at: formatMillis(link.expiresAt) });
}
