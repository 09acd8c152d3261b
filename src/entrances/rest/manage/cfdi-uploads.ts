import { requestReading } from '../../../exchange/jobs/read-upload.ts';
import {
  filesOf,
  MOST_UPLOADED_BYTES,
  REFUSAL_REASONS,
  type Upload,
  uploadOf,
} from '../../../features/cfdi/index.ts';
import { fail } from '../../../platform/failure.ts';
import { listOf, shape, text, whole, word } from '../../../platform/fields.ts';
import { isId, sha256 } from '../../../platform/ids.ts';
import { inputOf, wording } from '../../../platform/input-fields.ts';
import { queryOf } from '../../query.ts';
import { answeringWith, defineOperation, EVERYWHERE } from '../operation.ts';
import { answer, answerShape, reading, writingOnce } from './calls.ts';

const ID_EXAMPLE = '019a8f54-1c2d-7e53-8b64-5f0a9d3c7e28';
const QUERY = queryOf(
  inputOf({
    file_name: wording('El nombre del XML, para reconocerlo en el resultado.', 'factura.xml'),
  }),
);
const UNNAMED = 'documento.xml';

/** An upload as programs get it. */
const UPLOAD_SHAPE = shape('Una carga de CFDI.', {
  id: text('Identificador de la carga.', ID_EXAMPLE),
  state: word(['reading', 'done'], '`done` cuando ya se leyeron todos los archivos.', 'done'),
  files: whole('Cuántos archivos trae.', 3),
  read: whole('Cuántos ya se leyeron o se apartaron.', 3),
  added: whole('Cuántos son nuevos.', 1),
  known: whole('Cuántos ya estaban guardados.', 1),
  refused: whole('Cuántos se apartaron.', 1),
  errors: listOf(
    'Los que se apartaron.',
    shape('Un archivo apartado.', {
      file: text('Su nombre.', 'borrador.xml'),
      reason: word(REFUSAL_REASONS, 'Por qué.', 'sin_timbre'),
      message: text(
        'Lo mismo, para una persona.',
        'No tiene timbre fiscal: es un borrador y no un CFDI.',
      ),
    }),
  ),
});

const SHAPES = {
  CfdiUpload: UPLOAD_SHAPE,
  OneCfdiUpload: answerShape('Una carga.', UPLOAD_SHAPE),
};

/** How CFDI come in by a key, and how far they are. */
export const UPLOAD_OPERATIONS = answeringWith(SHAPES, [
  defineOperation({
    write: {
      method: 'POST',
      body: {
        types: ['application/xml', 'text/xml', 'application/zip', 'application/x-zip-compressed'],
        mostBytes: MOST_UPLOADED_BYTES,
      },
      status: 202,
      isOnce: true,
    },
    path: '/manage/v1/cfdis',
    name: 'uploadCfdis',
    summary: 'Sube CFDI',
    description:
      'Un XML, o un ZIP de hasta 2,000 archivos XML y 100 MB ya descomprimidos: CFDI 4.0 y 3.3, y constancias de retenciones. Se leen ' +
      'después de la respuesta; consulta el avance con el `id`. Un archivo que no se puede leer se aparta con su motivo y los demás ' +
      'entran. Un folio fiscal que ya está guardado no se duplica. Pueden esperar su lectura hasta 10,000 archivos y 128 MB.',
    scope: 'cfdi:write',
    query: QUERY,
    answer: 'OneCfdiUpload',
    refused: { name: 'factura.xml' },
    failures: [
      ...EVERYWHERE,
      'insufficient_scope',
      'cfdi_upload_limit_reached',
      'idempotency_key_reused',
    ],
    async run(parts, request) {
      const { fileName } = request.query;
      const bytes = request.body as Buffer;
      const files = await filesOf(bytes, fileName ?? UNNAMED);
      const asked = { ...request, body: [fileName, sha256(bytes)] };
      const id = await writingOnce(parts, asked, 'uploadCfdis', (scope) =>
        requestReading(parts.exchange, scope, files),
      );
      return answer(request, await reading(parts, request, (scope) => find(scope, id)));
    },
  }),
  defineOperation({
    path: '/manage/v1/cfdi-uploads/{id}',
    idMeans: { description: 'Identificador de la carga.', example: ID_EXAMPLE },
    name: 'getCfdiUpload',
    summary: 'Consulta una carga',
    description: 'Su avance y los archivos que se apartaron. Se conserva 30 días.',
    scope: 'cfdi:write',
    answer: 'OneCfdiUpload',
    failures: [...EVERYWHERE, 'insufficient_scope', 'not_found'],
    async run(parts, request) {
      const { id } = request;
      return answer(request, await reading(parts, request, (scope) => find(scope, id)));
    },
  }),
]);

/** @throws Failure not_found */
async function find(scope: Parameters<typeof uploadOf>[0], id: string) {
  const upload = isId(id) ? await uploadOf(scope, id) : null;
  if (!upload) throw fail('not_found', { message: 'No existe una carga con ese identificador.' });
  return uploadJson(upload);
}

function uploadJson({ id, files, waiting, added, known, refused, errors }: Upload) {
  const state = waiting > 0 ? 'reading' : 'done';
  return { id, state, files, read: files - waiting, added, known, refused, errors };
}
