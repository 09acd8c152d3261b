/** What all rooms of this simulator share: the account, the switches, and how VTEX says no. */
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';

/** What a test may turn while the simulator runs, by the ids of orders as VTEX writes them. */
export interface Switches {
  /** Still being made: without a status, or with an empty one. */
  incomplete: Map<string, null | ''>;
  /** Notified, and not readable yet. */
  missing: Set<string>;
  /** A cancellation was requested. */
  asked: Set<string>;
  /** SKUs without limit, by the seller's own name. */
  unlimited: Set<string>;
  /** Roles that the key lacks. */
  lacks: Set<'feed' | 'catalogue'>;
}

export interface Shop {
  readonly account: string;
  readonly appKey: string;
  readonly world: World;
  readonly switches: Switches;
  readonly now: () => number;
  /** Throws the refusal unless the key is accepted, and has the role. */
  readonly admit: (call: Call, role?: 'feed' | 'catalogue') => void;
}

export function refuse(status: number, code: string, message: string): Refusal {
  return new Refusal(refusalReply(status, code, message));
}

export function refusalReply(status: number, code: string, message: string): Reply {
  return { status, body: { error: { code, message, exception: null } } };
}
