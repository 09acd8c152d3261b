import type { Scope } from '../features/keys/index.ts';

/** What a person reads about each scope before giving it to an agent or a key. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'orders:read': 'Órdenes: qué se vendió, quién compró y en qué estado va',
  'sales:read': 'Ventas: totales por día, producto y marketplace',
  'inventory:read': 'Inventario: existencias por producto y almacén',
  'cfdi:read': 'Facturas: los CFDI y sus totales',
  'balances:read': 'Saldos: dinero disponible y por liberar',
  'shipments:read': 'Envíos: guías, rastreo y estado de los paquetes',
};
