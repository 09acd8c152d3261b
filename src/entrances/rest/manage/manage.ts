import { PLANS } from '../../../features/plans/index.ts';
import { type Api, joined } from '../operation.ts';
import { UPLOAD_OPERATIONS } from './cfdi-uploads.ts';
import { CFDI_OPERATIONS } from './cfdis.ts';
import { EVENT_OPERATIONS } from './events.ts';
import { EXPORT_OPERATIONS } from './exports.ts';
import { FINDING_OPERATIONS } from './findings.ts';
import { UNINVOICED_OPERATIONS } from './uninvoiced.ts';
import { ENDPOINT_OPERATIONS } from './webhook-endpoints.ts';

const INTRODUCTION = `API de administración de Tianguis, versión 1: endpoints de webhooks, registro de eventos, exportaciones, CFDI y hallazgos. La API REST v1 sigue siendo de solo lectura.

**Autenticación.** La misma clave que en la API REST, en \`Authorization: Bearer <clave>\`, con el permiso de cada operación. \`webhooks:write\`,
\`events:read\`, \`exports:write\` y \`cfdi:write\` no los tiene ninguna clave si no los marcas al crearla.

**Cuota, encabezados y errores.** Los mismos que en la API REST; las solicitudes cuentan en la misma cuota.

**Planes.** Intermedio: CFDI, exportaciones y registro de eventos de ${PLANS.intermedio.eventDays} días. Avanzado: además ${PLANS.avanzado.webhookEndpoints} endpoints. Experto: ${PLANS.experto.webhookEndpoints}. En los dos últimos el registro es de ${PLANS.experto.eventDays} días.

**Repetir sin duplicar.** Con \`Idempotency-Key\` puedes repetir durante 24 horas la solicitud que crea algo: se hace una sola vez y recibes
la primera respuesta.

**Cuerpos.** JSON, con el encabezado \`Content-Type: application/json\`; los CFDI, tal cual.`;

/** Webhook endpoints, the event log, CFDI, findings and exports. */
export const MANAGE: Api = {
  path: '/manage/v1',
  title: 'Tianguis: administración',
  introduction: INTRODUCTION,
  ...joined([
    ENDPOINT_OPERATIONS,
    EVENT_OPERATIONS,
    UPLOAD_OPERATIONS,
    CFDI_OPERATIONS,
    UNINVOICED_OPERATIONS,
    FINDING_OPERATIONS,
    EXPORT_OPERATIONS,
  ]),
};
