import { z } from 'zod';
import { fail } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';

const ROLES = ['owner', 'admin', 'supervisor', 'warehouse', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** The actor. `operator`: of the installation, from its terminal. `house`: the instance itself. */
export const actorSchema = z.object({
  kind: z.enum(['person', 'operator', 'house']),
  id: z.string(),
  role: z.enum(ROLES),
});
export type Actor = Readonly<z.infer<typeof actorSchema>>;

/** An action in the warehouse, with its actor. */
export interface Action {
  readonly actor: Actor;
  readonly action: string;
  /** Null = about the whole warehouse. */
  readonly lineId: string | null;
  readonly at: Instant;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The actor of changes that follow from orders. */
export const THE_INSTANCE: Actor = { kind: 'house', id: 'orders', role: 'admin' };

const SUPERVISORS: ReadonlySet<Role> = new Set(['owner', 'admin', 'supervisor']);
const WAREHOUSE: ReadonlySet<Role> = new Set([...SUPERVISORS, 'warehouse']);
const MANAGERS: ReadonlySet<Role> = new Set(['owner', 'admin']);

/** @throws Failure insufficient_role */
export function requireSupervisor({ role }: Actor): void {
  if (!SUPERVISORS.has(role)) throw fail('insufficient_role');
}

/** For the daily work on lines. @throws Failure insufficient_role */
export function requireWarehouse({ role }: Actor): void {
  if (!WAREHOUSE.has(role)) throw fail('insufficient_role');
}

/** For settings, which decide where money is spent. @throws Failure insufficient_role */
export function requireManager({ role }: Actor): void {
  if (!MANAGERS.has(role))
    throw fail('insufficient_role', {
      message: 'Solo quien administra la organización puede cambiar la configuración de logística.',
    });
}
