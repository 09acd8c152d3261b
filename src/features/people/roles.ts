import { fail } from '../../platform/failure.ts';
import { SCOPES, type Scope } from '../keys/index.ts';

/** The role of a person in an organisation. */
export const ROLES = ['owner', 'admin', 'member', 'supervisor', 'warehouse'] as const;
export type Role = (typeof ROLES)[number];

/** The name of each role for users. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: 'Propietario',
  admin: 'Administrador',
  member: 'Miembro',
  supervisor: 'Supervisor de almacén',
  warehouse: 'Almacén',
};

/** What each may do, for users; the table of rights below says it exactly. */
export const ROLE_SENTENCES: Readonly<Record<Role, string>> = {
  owner: 'Puede hacer todo: también cambia el plan y nombra a otros propietarios.',
  admin:
    'Conecta cuentas, invita personas, crea claves de API, cambia los ajustes y prepara envíos. No cambia el plan ni a los propietarios.',
  member:
    'Ve órdenes, ventas, inventario, envíos, dinero y alertas. No prepara envíos ni cambia cuentas, personas o claves.',
  supervisor:
    'Prepara envíos, genera y cancela guías, y regresa paquetes transferidos a preparación. Ve las órdenes con sus importes, el inventario y los envíos, pero no comisiones, reportes de ventas, saldos ni facturas.',
  warehouse:
    'Prepara envíos y genera guías. Ve las órdenes con sus importes, el inventario y los envíos, pero no comisiones, reportes de ventas, saldos ni facturas.',
};

const ALL: readonly Role[] = ROLES;
const OFFICE: readonly Role[] = ['owner', 'admin', 'member'];
const HEADS: readonly Role[] = ['owner', 'admin'];

/** The table of rights: the roles that may do each action. */
const ALLOWED = {
  manage_plan: ['owner'],
  /** Its name and its time zone. */
  manage_organization: HEADS,
  manage_owners: ['owner'],
  manage_members: HEADS,
  manage_keys: HEADS,
  read_activity: HEADS,
  manage_connections: HEADS,
  manage_logistics: HEADS,
  connect_agents: ALL,
  /** To see and disconnect the agents of all members. */
  manage_agents: HEADS,
  set_in_transit: ['owner', 'admin', 'supervisor'],
  undo_transfers: ['owner', 'admin', 'supervisor'],
  cancel_guides: ['owner', 'admin', 'supervisor'],
  prepare_lines: ['owner', 'admin', 'supervisor', 'warehouse'],
  read_lines: ALL,
  read_orders: ALL,
  read_inventory: ALL,
  read_shipments: ALL,
  read_sales: OFFICE,
  /** All alerts; those of the warehouse come with `read_lines`. */
  read_alerts: OFFICE,
  /** Balances, settlements and invoices. */
  read_money: OFFICE,
  /** A note beside a difference in the money. */
  explain_findings: OFFICE,
} as const satisfies Record<string, readonly Role[]>;
export type Action = keyof typeof ALLOWED;
export const ACTIONS = Object.keys(ALLOWED) as readonly Action[];

const ACTION_OF: Readonly<Record<Scope, Action>> = {
  'orders:read': 'read_orders',
  'sales:read': 'read_sales',
  'inventory:read': 'read_inventory',
  'cfdi:read': 'read_money',
  'balances:read': 'read_money',
  'shipments:read': 'read_shipments',
};

export function may(role: Role, action: Action): boolean {
  return (ALLOWED[action] as readonly Role[]).includes(role);
}

/** The action that giving or taking a role requires: only owners make and unmake owners. */
export function actionToGive(role: Role): Action {
  return role === 'owner' ? 'manage_owners' : 'manage_members';
}

/** The roles that a person with this role may give and take. */
export function rolesToGive(role: Role): Role[] {
  return ROLES.filter((given) => may(role, actionToGive(given)));
}

/**
 * The scopes that a person with this role may give an agent: nothing that they do not see
 * themselves.
 */
export function scopesFor(role: Role): Scope[] {
  return SCOPES.filter((scope) => may(role, ACTION_OF[scope]));
}

/** The roles whose agents may have all of these scopes. */
export function rolesWith(scopes: readonly Scope[]): Role[] {
  return ROLES.filter((role) => scopes.every((scope) => may(role, ACTION_OF[scope])));
}

export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

/** The sentence of the code itself names the supervisor of the warehouse. */
const ASK_A_MANAGER =
  'Tu rol en la organización no permite esta acción. Pídela a quien la administra.';

/** @throws Failure insufficient_role */
export function mustBeAbleTo(role: Role | null, action: Action): void {
  if (role === null || !may(role, action))
    throw fail('insufficient_role', may('supervisor', action) ? {} : { message: ASK_A_MANAGER });
}
