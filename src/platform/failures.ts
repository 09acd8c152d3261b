import { nameAndPath } from './site-pages.ts';

interface FailureRow {
  readonly status: number;
  /** A whole sentence in Spanish. */
  readonly message: string;
  /** The next sentence, where support can help: it contains `askForHelp`. */
  readonly help?: (ask: string) => string;
  /** Seconds of `Retry-After`, where the cause passes by itself. */
  readonly retryAfter?: number;
}

/** Every code that a user or program can meet: its HTTP status and its sentence in Spanish. */
export const FAILURES = {
  invalid_request: { status: 400, message: 'La solicitud no es válida.' },
  invalid_cursor: {
    status: 400,
    message: 'El cursor no es válido para esta consulta. Empieza de nuevo sin el parámetro cursor.',
  },
  invalid_payload: { status: 400, message: 'El contenido recibido no tiene la forma esperada.' },
  missing_api_key: {
    status: 401,
    message: 'Falta la clave de API. Envíala en el encabezado Authorization: Bearer <clave>.',
  },
  invalid_api_key: {
    status: 401,
    message: `La clave de API no es válida. Revisa que esté completa; si la perdiste, regenérala en ${nameAndPath('keys')}.`,
  },
  api_key_revoked: {
    status: 401,
    message: `Esta clave de API fue revocada. Crea una nueva en ${nameAndPath('keys')}.`,
  },
  api_key_expired: {
    status: 401,
    message: `Esta clave de API venció. Crea una nueva en ${nameAndPath('keys')}.`,
  },
  invalid_token: {
    status: 401,
    message: 'El acceso del agente no es válido o ya venció. Vuelve a conectarlo con tu cuenta.',
  },
  session_required: {
    status: 401,
    message: 'Tu sesión no está iniciada. Inicia sesión con tu correo y contraseña.',
  },
  invalid_webhook_secret: { status: 401, message: 'El secreto del webhook no es válido.' },
  plan_does_not_include_api: {
    status: 403,
    message: 'Tu plan no incluye la API.',
    help: (ask) => `Para cambiar a Intermedio o superior, ${ask}.`,
  },
  plan_does_not_include_webhooks: {
    status: 403,
    message: 'Tu plan no incluye webhooks.',
    help: (ask) =>
      `Intermedio o superior incluye el registro de eventos, y Avanzado o superior, también las entregas. Para cambiar de plan, ${ask}.`,
  },
  insufficient_scope: {
    status: 403,
    message: 'La clave no tiene el permiso que pide esta operación.',
  },
  origin_not_allowed: {
    status: 403,
    message:
      'Por seguridad no aceptamos solicitudes desde otros sitios. Abre Tianguis e intenta de nuevo.',
  },
  organization_suspended: {
    status: 403,
    message: 'La organización está suspendida.',
    help: (ask) => `Para reactivarla, ${ask}.`,
  },
  trial_ended: {
    status: 403,
    message: 'Tu prueba terminó: puedes ver tus datos, pero no hacer cambios.',
    help: (ask) => `Para elegir un plan, ${ask}.`,
  },
  insufficient_role: {
    status: 403,
    message:
      'Tu rol en la organización no permite esta acción. Pídela a quien supervisa el almacén.',
  },
  second_factor_required: {
    status: 403,
    message: `Falta la verificación en dos pasos. Actívala en ${nameAndPath('account')} antes de hacer esto.`,
  },
  confirmation_required: {
    status: 403,
    message: 'Falta confirmar que eres tú con tu código o tu llave de acceso (/cuenta/confirmar).',
  },
  order_not_found: { status: 404, message: 'No existe una orden con ese identificador.' },
  not_found: { status: 404, message: 'No existe esa dirección.' },
  method_not_allowed: { status: 405, message: 'Esta dirección no admite ese método.' },
  ambiguous_order_id: {
    status: 409,
    message:
      'Hay más de una orden con ese identificador. Indica marketplace y, si hace falta, account_id.',
  },
  api_key_limit_reached: {
    status: 409,
    message: 'Llegaste al máximo de claves activas de tu plan. Revoca una para crear otra.',
  },
  webhook_endpoint_limit_reached: {
    status: 409,
    message: 'Llegaste al máximo de endpoints activos de tu plan. Desactiva otro antes.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    message: 'El endpoint está desactivado. Actívalo para enviarle eventos.',
  },
  export_limit_reached: {
    status: 409,
    message: 'Ya hay tres exportaciones en curso. Espera a que termine alguna o elimínala.',
  },
  export_not_ready: { status: 409, message: 'La exportación todavía no está lista.' },
  cfdi_upload_limit_reached: {
    status: 409,
    message:
      'Hay muchos CFDI en espera de leerse. Espera unos minutos y sube este archivo de nuevo.',
  },
  connection_paused: {
    status: 409,
    message: 'La cuenta está en pausa. Reanúdala para sincronizarla.',
  },
  relation_not_unique: { status: 409, message: 'La relación con la orden no es única.' },
  transition_not_allowed: { status: 409, message: 'El estado de la línea no permite esta acción.' },
  line_changed: {
    status: 409,
    message:
      'La línea cambió mientras la editabas: otra persona guardó antes. Revisa los cambios y guarda de nuevo.',
  },
  changed_meanwhile: {
    status: 409,
    message:
      'La información cambió mientras la editabas: otra persona guardó antes. Revisa los cambios y guarda de nuevo.',
  },
  guide_required: {
    status: 409,
    message: 'La línea no tiene guía. Genera una o escribe el número de rastreo.',
  },
  guide_outcome_unknown: {
    status: 409,
    message:
      'No se sabe si la última guía se generó. Búscala con la paquetería y resuelve el intento primero.',
  },
  guide_not_cancellable: { status: 409, message: 'La guía ya no se puede cancelar.' },
  attempt_already_settled: { status: 409, message: 'Este intento ya tiene resultado.' },
  tracking_number_in_use: { status: 409, message: 'El número de rastreo ya está en otra línea.' },
  parcel_already_moved: {
    status: 409,
    message: 'La paquetería ya movió este paquete, así que no puede volver a preparación.',
  },
  own_fleet_required: {
    status: 409,
    message: 'Esta orden no es de flota propia, así que «En camino» no se puede marcar desde aquí.',
  },
  shipment_past_in_transit: {
    status: 409,
    message: 'El envío ya pasó de «En camino» en la paquetería o ya terminó.',
  },
  carrier_not_connected: {
    status: 409,
    message: 'La paquetería no está conectada. Conéctala primero.',
  },
  carrier_account_ambiguous: {
    status: 409,
    message: 'Hay varias cuentas conectadas de esta paquetería. Indica cuál usar.',
  },
  carrier_refused: { status: 409, message: 'La paquetería no aceptó el cambio.' },
  idempotency_key_reused: {
    status: 409,
    message: 'Esta clave de idempotencia ya se usó para otra solicitud. Usa una nueva.',
  },
  too_many_views: {
    status: 409,
    message: 'Ya tienes 50 vistas guardadas. Borra una para guardar otra.',
  },
  last_owner: {
    status: 409,
    message: 'La organización necesita al menos una persona propietaria. Nombra a otra primero.',
  },
  already_member: { status: 409, message: 'La persona ya pertenece a la organización.' },
  invitation_not_valid: {
    status: 410,
    message:
      'Esta invitación ya no sirve: venció, se usó, se retiró o hay una más reciente en tu correo. Si no la encuentras, pide otra a quien te invitó.',
  },
  legacy_host_gone: {
    status: 410,
    message: 'Esta dirección ya no existe. Usa la dirección actual de la API.',
  },
  version_retired: { status: 410, message: 'Esta versión de la API fue retirada.' },
  payload_too_large: { status: 413, message: 'El contenido es demasiado grande.' },
  uri_too_long: { status: 414, message: 'La dirección es demasiado larga.' },
  misdirected_request: { status: 421, message: 'Este servidor no atiende ese nombre de host.' },
  rate_limit_exceeded: {
    status: 429,
    message:
      'Tu organización agotó su cuota de solicitudes. Espera los segundos que indica Retry-After.',
  },
  too_many_requests: {
    status: 429,
    message:
      'Demasiados intentos fallidos desde tu dirección. Espera los segundos que indica Retry-After.',
  },
  headers_too_large: { status: 431, message: 'Los encabezados son demasiado grandes.' },
  internal_error: {
    status: 500,
    message: 'Ocurrió un error de nuestro lado.',
    help: (ask) => `Si se repite, ${ask} e incluye el request_id.`,
  },
  upstream_error: { status: 502, message: 'El servicio externo no respondió como se esperaba.' },
  service_unavailable: {
    status: 503,
    message: 'El servicio no está disponible por el momento. Intenta de nuevo.',
    retryAfter: 1,
  },
  request_timeout: {
    status: 504,
    message: 'La solicitud tardó más de lo permitido y se canceló.',
    // The work that was cancelled cost much, and may do so again.
    retryAfter: 5,
  },
} as const satisfies Record<string, FailureRow>;

export type FailureCode = keyof typeof FAILURES;

/**
 * The sentence of a code with what to do about it. @param message one that replaces the table's own
 */
export function sentenceOf(
  code: FailureCode,
  ask: string,
  message: string = FAILURES[code].message,
): string {
  const { help }: FailureRow = FAILURES[code];
  return help ? `${message} ${help(ask)}` : message;
}

/** `Retry-After` of a code whose cause passes by itself. */
export function retryHeader(code: FailureCode): Record<string, string> {
  const { retryAfter }: FailureRow = FAILURES[code];
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}
