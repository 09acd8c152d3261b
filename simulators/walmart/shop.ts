/**
 * What all rooms of this simulator share: rows to be listed, who calls, and how Walmart says no.
 */
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import type { Generation } from './facts.ts';

/** An order or a return as the lists see it; times are null in documents that are played back. */
export interface Row {
  readonly id: string;
  readonly customerOrderId: string;
  readonly isWfs: boolean;
  readonly createdAt: number | null;
  readonly changedAt: number | null;
  readonly status: string | null;
  document(): unknown;
}

export interface Shop {
  readonly world: World;
  generationOf(call: Call): Generation;
  now(): number;
  orders(generation: Generation): readonly Row[];
  /** A page of orders has so many at most. */
  readonly pageRows: number;
  returns(): readonly Row[];
  /** Throws the documented refusal unless token and headers are right. */
  admit(call: Call): void;
}

/** The old generation says `error`, the new one `errors`. */
export function refusalReply(
  generation: Generation,
  status: number,
  code: string,
  description: string,
): Reply {
  const error = {
    code,
    field: 'data',
    description,
    info: description,
    severity: status === 404 ? 'INFO' : 'ERROR',
    category: 'DATA',
    causes: [],
  };
  return {
    status,
    body:
      generation === 'global'
        ? { errors: [{ ...error, errorIdentifiers: {} }] }
        : { error: { ...error, errorIdentifiers: { entry: [] } } },
  };
}

export function refuse(
  shop: Shop,
  call: Call,
  status: number,
  code: string,
  text: string,
): Refusal {
  return new Refusal(refusalReply(shop.generationOf(call), status, code, text));
}
