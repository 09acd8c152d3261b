import type { FailureCode } from '../platform/failures.ts';
import { SITE_PAGES } from '../platform/site-pages.ts';

/** How a program handles each group of error codes of the API. */
export const REPAIRS: readonly (readonly [codes: readonly FailureCode[], repair: string])[] = [
  [['invalid_request', 'invalid_cursor'], 'Corrige la solicitud: error.param nombra el parámetro.'],
  [
    ['missing_api_key', 'invalid_api_key', 'api_key_revoked', 'api_key_expired'],
    'Revisa la clave.',
  ],
  [
    ['too_many_requests'],
    'Revisa la clave: este límite solo cuenta los intentos con una clave que falta o no es válida. Espera los segundos de Retry-After.',
  ],
  [
    ['plan_does_not_include_api', 'plan_does_not_include_webhooks', 'insufficient_scope'],
    'Repetir no ayuda: cambia de plan, o crea una clave con ese permiso.',
  ],
  [['organization_suspended'], 'Repetir no ayuda: hay que reactivar la organización.'],
  [
    ['legacy_host_gone', 'misdirected_request'],
    'Cambia el nombre de host: es el de los ejemplos de esta página.',
  ],
  [['version_retired'], 'Cambia tu aplicación a la versión actual de la API.'],
  [['order_not_found'], 'Esa orden no existe en tu organización.'],
  [
    ['not_found', 'method_not_allowed'],
    'Revisa la dirección, el identificador y el método; con 405, Allow dice cuáles se admiten.',
  ],
  [['ambiguous_order_id'], 'Repite con marketplace y account_id: error.details dice cuáles hay.'],
  [
    ['idempotency_key_reused'],
    'Usa otra Idempotency-Key: la misma solo sirve para repetir la misma solicitud.',
  ],
  [
    ['webhook_endpoint_limit_reached', 'webhook_endpoint_disabled', 'export_limit_reached'],
    'Haz primero lo que dice error.message y repite.',
  ],
  [
    ['payload_too_large', 'uri_too_long', 'headers_too_large'],
    'Envía menos: divide el archivo o la solicitud.',
  ],
  [
    ['rate_limit_exceeded', 'service_unavailable', 'request_timeout', 'cfdi_upload_limit_reached'],
    'Espera los segundos de Retry-After (sin él, uno), con un poco de azar, y repite; si vuelve a fallar, espera el doble, ' +
      'hasta 30 segundos.',
  ],
  [
    ['internal_error'],
    'Es una falla nuestra: repite más tarde y, si sigue, envíanos el request_id.',
  ],
];

const EXPLAINED: ReadonlySet<FailureCode> = new Set(REPAIRS.flatMap(([codes]) => codes));

/** The address of a code in the guide; null = the API has no such code. */
export function explanationOf(code: FailureCode, publicUrl: string): string | null {
  return EXPLAINED.has(code) ? `${publicUrl}${SITE_PAGES.docs.path}#${code}` : null;
}
