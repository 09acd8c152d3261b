import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { listenersOf } from '../../../exchange/sync/follow-up.ts';
import {
  CFDI_DESCRIPTION,
  CFDI_FILTERS,
  CFDI_SUMMARY,
  decideLink,
  describeCfdi,
  foliosOf,
  listCfdis,
  writeDescription,
  writeSummary,
} from '../../../features/cfdi/index.ts';
import { fieldsIn } from '../../../platform/documents.ts';
import { shape, text, time } from '../../../platform/fields.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { linkTo, linkToArchive } from '../../cfdi-downloads.ts';
import { queryOf } from '../../query.ts';
import { bodyInput } from '../body-input.ts';
import { answeringWith, defineOperation, EVERYWHERE, type OperationRequest } from '../operation.ts';
import {
  answer,
  answerShape,
  answerText,
  pageAnswer,
  pageShape,
  reading,
  writing,
} from './calls.ts';

const QUERY = queryOf(inputOf({ ...pageInput({ usual: 50, most: 200 }), ...CFDI_FILTERS }));
const ARCHIVE_QUERY = queryOf(inputOf(CFDI_FILTERS));
const EVERY_OPERATION = {
  scope: 'cfdi:read',
  failures: [...EVERYWHERE, 'insufficient_scope' as const],
} as const;
const OF_ONE = {
  ...EVERY_OPERATION,
  idMeans: { description: 'Folio fiscal.', example: '5F0C8A34-9D1E-4B7A-8C52-2A6B1F0E9D73' },
  failures: [...EVERY_OPERATION.failures, 'not_found' as const],
};

const LINK = bodyInput(
  inputOf({
    marketplace: z
      .enum(MARKETPLACES)
      .meta({ description: 'Dónde se vendió.', examples: [MARKETPLACES[0]] }),
    account_id: z
      .string()
      .min(1)
      .meta({ description: 'La cuenta.', examples: ['468424241'] }),
    order_id: z
      .string()
      .min(1)
      .meta({ description: 'La orden.', examples: ['2000009876543210'] }),
    state: z.enum(['linked', 'rejected']).meta({
      description: '`linked` la vincula; `rejected` la desvincula, y no se vuelve a vincular sola.',
      examples: ['linked'],
    }),
  }),
);

const DOWNLOAD_SHAPE = shape('Un enlace de descarga, válido 10 minutos.', {
  url: text(
    'La dirección; quien la tiene puede descargar.',
    'https://ejemplo.mx/descargas/cfdi/abc',
  ),
  expires_at: time('Cuándo vence.', '2026-11-16T18:10:00.000Z'),
});

const SUMMARY_SHAPE = shape('Un CFDI o una constancia.', fieldsIn('list', CFDI_SUMMARY));

const SHAPES = {
  Cfdi: SUMMARY_SHAPE,
  CfdiList: pageShape('Una página de CFDI.', SUMMARY_SHAPE),
  OneCfdi: answerShape('Un CFDI.', CFDI_DESCRIPTION),
  OneDownload: answerShape('Un enlace.', DOWNLOAD_SHAPE),
};

/** What `cfdi:read` allows. */
export const CFDI_OPERATIONS = answeringWith(SHAPES, [
  defineOperation({
    ...EVERY_OPERATION,
    path: '/manage/v1/cfdis',
    name: 'listCfdis',
    summary: 'Lista CFDI',
    description:
      'Los CFDI y constancias de retenciones que se leyeron, del más reciente al más antiguo. Los filtros se combinan (Y).',
    query: QUERY,
    answer: 'CfdiList',
    refused: { limit: '500' },
    failures: [...EVERY_OPERATION.failures, 'invalid_cursor'],
    async run(parts, request) {
      const { cfdis, nextCursor } = await reading(parts, request, (scope) =>
        listCfdis(scope, parts.cursors, request.query),
      );
      const rows = cfdis.map((one) => writeSummary(one, 'list'));
      return pageAnswer(request, rows, nextCursor);
    },
  }),
  defineOperation({
    ...OF_ONE,
    path: '/manage/v1/cfdis/{id}',
    name: 'getCfdi',
    summary: 'Consulta un CFDI',
    description:
      'El documento completo, sus órdenes vinculadas y las posibles, los documentos que lo nombran y cómo va su pago.',
    answer: 'OneCfdi',
    async run(parts, request) {
      const found = await reading(parts, request, (scope) => describeCfdi(scope, request.id));
      return answerText(request, writeDescription(found));
    },
  }),
  defineOperation({
    ...OF_ONE,
    write: { method: 'POST', body: LINK, status: 200 },
    scope: 'cfdi:write',
    path: '/manage/v1/cfdis/{id}/links',
    name: 'settleCfdiLink',
    summary: 'Vincula un CFDI con una orden, o lo desvincula',
    description: 'Tú decides cuál de las órdenes posibles corresponde.',
    answer: 'OneCfdi',
    failures: [...OF_ONE.failures, 'order_not_found'],
    async run(parts, request) {
      const { marketplace, accountId, orderId, state } = request.fields;
      const order = { marketplace, accountId, id: orderId };
      const found = await writing(parts, request, async (scope) => {
        await decideLink(scope, request.id, order, state, listenersOf(parts.exchange));
        return describeCfdi(scope, request.id);
      });
      return answerText(request, writeDescription(found));
    },
  }),
  defineOperation({
    ...OF_ONE,
    path: '/manage/v1/cfdis/{id}/xml',
    name: 'getCfdiXml',
    summary: 'Pide el XML de un CFDI',
    description: 'Un enlace al XML, tal como llegó.',
    answer: 'OneDownload',
    async run(parts, request) {
      const found = await reading(parts, request, (scope) => describeCfdi(scope, request.id));
      return answer(request, linkTo(parts, ownerOf(request), found.summary.uuid));
    },
  }),
  defineOperation({
    ...EVERY_OPERATION,
    path: '/manage/v1/cfdi-archive',
    name: 'getCfdiArchive',
    summary: 'Pide un ZIP de XML',
    description: 'Un enlace a un ZIP con los XML que cumplen los filtros, hasta 2,000.',
    query: ARCHIVE_QUERY,
    answer: 'OneDownload',
    refused: { type: 'factura' },
    async run(parts, request) {
      const { query: filters } = request;
      await reading(parts, request, (scope) => foliosOf(scope, filters));
      return answer(request, linkToArchive(parts, ownerOf(request), filters));
    },
  }),
]);

function ownerOf({ access, address }: OperationRequest) {
  return { organizationId: access.organization.id, by: { keyId: access.key.id, address } };
}
