import { z } from 'zod';
import type { Instant } from '../../platform/time.ts';
import { ROLES } from '../people/index.ts';
import { INSTANCE_ACTOR } from '../trail/index.ts';

/** The actor. `operator`: of the installation, from its terminal. */
export const actorSchema = z.object({
  kind: z.enum(['person', 'operator', INSTANCE_ACTOR]),
  id: z.string(),
  role: z.enum(ROLES),
  /** Of the person's request. */
  address: z.string().nullable().optional(),
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
export const THE_INSTANCE: Actor = { kind: INSTANCE_ACTOR, id: 'orders', role: 'admin' };
