import {
  CFDI_DESCRIPTION,
  CFDI_SUMMARY,
  UNINVOICED,
  UNINVOICED_SUM,
} from '../../../features/cfdi/index.ts';
import { EXPORT_SHAPE } from '../../../features/exports/index.ts';
import { FINDING, WITHHELD } from '../../../features/findings/index.ts';
import {
  ATTEMPT_SHAPE,
  ENDPOINT_SHAPE,
  EVENT_SHAPE,
  SECRET_SHAPE,
} from '../../../features/webhooks-out/index.ts';
import { fieldsIn } from '../../../platform/documents.ts';
import {
  type Described,
  flag,
  listOf,
  orNull,
  shape,
  text,
  whole,
} from '../../../platform/fields.ts';
import type { Api } from '../operation.ts';
import { META } from '../schemas.ts';
import { UPLOAD_OPERATIONS, UPLOAD_SHAPE } from './cfdi-uploads.ts';
import { CFDI_OPERATIONS, DOWNLOAD_SHAPE } from './cfdis.ts';
import { EVENT_OPERATIONS } from './events.ts';
import { EXPORT_OPERATIONS } from './exports.ts';
import { FINDING_OPERATIONS } from './findings.ts';
import { UNINVOICED_OPERATIONS } from './uninvoiced.ts';
import { ENDPOINT_OPERATIONS } from './webhook-endpoints.ts';

const INTRODUCTION = `API de administración de Tianguis, versión 1: endpoints de webhooks, registro de eventos, exportaciones, CFDI y hallazgos. La API REST v1 sigue siendo de solo lectura.

**Autenticación.** La misma clave que en la API REST, en \`Authorization: Bearer <clave>\`, con el permiso de cada operación. \`webhooks:write\`,
\`events:read\`, \`exports:write\` y \`cfdi:write\` no los tiene ninguna clave si no los marcas al crearla.

**Cuota, encabezados y errores.** Los mismos que en la API REST; las solicitudes cuentan en la misma cuota.

**Planes.** Intermedio: CFDI, exportaciones y registro de eventos de 7 días. Avanzado: además 5 endpoints. Experto: 20. En los dos últimos el registro es de 30 días.

**Repetir sin duplicar.** Con \`Idempotency-Key\` puedes repetir durante 24 horas la solicitud que crea algo: se hace una sola vez y recibes
la primera respuesta.

**Cuerpos.** JSON, con el encabezado \`Content-Type: application/json\`; los CFDI, tal cual.`;

const SUMMARY_SHAPE = shape('Un CFDI o una constancia.', fieldsIn('list', CFDI_SUMMARY));
const UNINVOICED_SHAPE = shape('Una orden sin CFDI.', fieldsIn('list', UNINVOICED));
const UNINVOICED_SUM_SHAPE = shape('Un mes de un marketplace.', fieldsIn('list', UNINVOICED_SUM));
const FINDING_SHAPE = shape('Un hallazgo.', fieldsIn('list', FINDING));
const WITHHELD_SHAPE = shape('Un periodo.', fieldsIn('list', WITHHELD));
const PAGINATION = shape('Cómo seguir.', {
  next_cursor: orNull(text('Pásalo en `cursor` para lo que sigue.', 'eyJ2IjoxfQ')),
  has_more: flag('Si ya hay más que leer.', false),
});

/** Webhook endpoints, the event log, CFDI, findings and exports. */
export const MANAGE: Api = {
  path: '/manage/v1',
  title: 'Tianguis: administración',
  introduction: INTRODUCTION,
  operations: [
    ...ENDPOINT_OPERATIONS,
    ...EVENT_OPERATIONS,
    ...UPLOAD_OPERATIONS,
    ...CFDI_OPERATIONS,
    ...UNINVOICED_OPERATIONS,
    ...FINDING_OPERATIONS,
    ...EXPORT_OPERATIONS,
  ],
  shapes: {
    WebhookEndpoint: ENDPOINT_SHAPE,
    WebhookEndpointList: one(
      'Los endpoints.',
      listOf('Del más antiguo al más reciente.', ENDPOINT_SHAPE),
    ),
    OneWebhookEndpoint: one('Un endpoint.', ENDPOINT_SHAPE),
    WebhookSecret: one('Un secreto.', SECRET_SHAPE),
    DeletedWebhookEndpoint: one(
      'Lo que se eliminó.',
      shape('El endpoint.', {
        id: text('Su identificador.', '019a8f53-6b1e-7d40-9c25-8a3f0e7b4d19'),
        deleted: flag('Siempre `true`.', true),
      }),
    ),
    SentEvent: one(
      'El evento de prueba.',
      shape('El evento.', { event_id: text('Su identificador.', 'evt_4h7Jm2Qx9Lr5Tn8Vb3Kc6Wd1') }),
    ),
    ResentEvents: one(
      'Los eventos que se envían de nuevo.',
      shape('Cuántos son.', { resent: whole('Eventos.', 3) }),
    ),
    WebhookAttemptList: pages('Una página de intentos.', ATTEMPT_SHAPE),
    Cfdi: SUMMARY_SHAPE,
    CfdiList: pages('Una página de CFDI.', SUMMARY_SHAPE),
    OneCfdi: one('Un CFDI.', CFDI_DESCRIPTION),
    OneDownload: one('Un enlace.', DOWNLOAD_SHAPE),
    CfdiUpload: UPLOAD_SHAPE,
    UninvoicedOrder: UNINVOICED_SHAPE,
    UninvoicedOrderList: pages('Una página de órdenes sin CFDI.', UNINVOICED_SHAPE),
    UninvoicedSumList: one(
      'Las sumas.',
      listOf('Del mes más reciente al más antiguo.', UNINVOICED_SUM_SHAPE),
    ),
    Finding: FINDING_SHAPE,
    FindingList: pages('Una página de hallazgos.', FINDING_SHAPE),
    WithheldTaxList: one(
      'Los impuestos retenidos.',
      listOf('Del mes más reciente al más antiguo.', WITHHELD_SHAPE),
    ),
    OneCfdiUpload: one('Una carga.', UPLOAD_SHAPE),
    Event: EVENT_SHAPE,
    OneExport: one('Una exportación.', EXPORT_SHAPE),
    ExportList: one(
      'Las exportaciones.',
      listOf('De la más reciente a la más antigua.', EXPORT_SHAPE),
    ),
    DeletedExport: one(
      'Lo que se eliminó.',
      shape('La exportación.', {
        id: text('Su identificador.', '019a8f56-3f5a-7b86-8e97-8c3d2a6fab51'),
        deleted: flag('Siempre `true`.', true),
      }),
    ),
    EventList: pages('Una página del registro de eventos.', EVENT_SHAPE),
  },
};

function one(description: string, data: Described): Described {
  return shape(description, { data, meta: META });
}

function pages(description: string, row: Described): Described {
  return shape(description, {
    data: listOf('Las filas de la página.', row),
    pagination: PAGINATION,
    meta: META,
  });
}
