import type { KeyScope } from '../features/keys/index.ts';
import { may, type Role } from '../features/people/index.ts';
import { askForHelp, type Operator } from '../platform/operator.ts';

/**
 * The message to members of a suspended organisation: what stopped, what they can do, and whom
 * to ask.
 */
export function suspensionOf(organizationName: string, role: Role, operator: Operator): string {
  const what = `«${organizationName}» está suspendida: sus claves de API y sus agentes no pueden leer nada. Para reactivarla, ${askForHelp(operator)}.`;
  return may(role, 'manage_members')
    ? `${what} Mientras tanto puedes revocar claves, desconectar agentes, retirar invitaciones y quitar miembros; no puedes crear claves, invitar ni conectar agentes.`
    : `${what} Mientras tanto puedes desconectar tus agentes y salir de la organización.`;
}

/** Of an organisation that the person does not belong to, or that does not exist. */
export const NOT_YOURS = 'Esa organización no es tuya.';

/** What a person reads about each scope before giving it to an agent or a key. */
export const SCOPE_WORDS: Readonly<Record<KeyScope, string>> = {
  'orders:read': 'Órdenes: qué se vendió, quién compró y en qué estado va',
  'sales:read': 'Ventas: totales por día, producto y marketplace',
  'inventory:read': 'Inventario: existencias por producto y almacén',
  'cfdi:read': 'Facturas: los CFDI y sus totales',
  'balances:read': 'Saldos: dinero disponible y por liberar',
  'shipments:read': 'Envíos: guías, rastreo y estado de los paquetes',
  'events:read': 'Eventos: el registro de lo que cambia',
  'exports:write': 'Exportaciones: pedir y descargar archivos de los datos que puede leer',
  'webhooks:write': 'Webhooks: crear, cambiar y eliminar endpoints',
  'cfdi:write': 'Facturas: subir CFDI',
};
