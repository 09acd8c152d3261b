import type { Scope } from '../../features/keys/index.ts';
import type { Instant } from '../../platform/time.ts';

/** What a person reads about each scope before agreeing. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'orders:read': 'Órdenes: qué se vendió, quién compró y en qué estado va',
  'sales:read': 'Ventas: totales por día, producto y marketplace',
  'inventory:read': 'Inventario: existencias por producto y almacén',
  'cfdi:read': 'Facturas: los CFDI y sus totales',
  'balances:read': 'Saldos: dinero disponible y por liberar',
  'shipments:read': 'Envíos: guías, rastreo y estado de los paquetes',
};

/** What a person reads when an agent's request cannot go on; by the code of the standard. */
export const ERROR_WORDS: Readonly<Record<string, string>> = {
  invalid_client: 'No conocemos al programa que pide el permiso, o no pudimos leer quién es.',
  invalid_redirect_uri: 'El programa pide la respuesta en una dirección que no registró.',
  invalid_request: 'El programa hizo una solicitud que no está completa o no es válida.',
  server_error: 'Ocurrió un error de nuestro lado. Intenta de nuevo en un momento.',
};

export const UNKNOWN_ERROR = 'La solicitud del programa no se puede atender.';

/** Without «a.m.», whose period would meet that of a sentence. */
export function momentInMexico(instant: Instant): string {
  return instant
    .toZonedDateTimeISO('America/Mexico_City')
    .toLocaleString('es-MX', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
}
