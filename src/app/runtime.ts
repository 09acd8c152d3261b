import type { Holder } from '../entrances/front.ts';
import type { Surface } from '../entrances/surface.ts';
import type { PasswordCost, People } from '../features/people/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';

/** The clock and other surroundings of a process; tests supply a clock that they turn. */
export interface Runtime {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** Of new passwords, for tests; without it, the one that `features/people` requires. */
  readonly passwordCost?: PasswordCost;
  /** Of the demo, which already holds its port; without it, the port of the settings is listened on. */
  readonly holder?: Holder;
  /** Of the demo, which signs its user in; without it, there are no others. */
  readonly moreSurfaces?: (people: People) => readonly Surface[];
}

/** Why the app cannot start; the message is for the operator, in Spanish. */
export class StartError extends Error {}

export const NO_MASTER_KEY =
  'Falta MASTER_KEY: 32 bytes al azar en base64, por ejemplo el resultado de: openssl rand -base64 32';

export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
