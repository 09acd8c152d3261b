import { ZodError } from 'zod';
import type { Carrier, SourceShipmentEvent } from '../carriers/contract.ts';
import { findCarrier } from '../carriers/registry.ts';
import { tooDeep } from '../connectors/bounds.ts';
import { parseOrNull } from '../connectors/kit.ts';
import {
  newestUnsettled,
  type RecordedEvent,
  recordEvents,
  settleWaiting,
  unsettledOrganizations,
} from '../features/shipments/index.ts';
import { openBatches } from '../platform/batches.ts';
import type { WriteHandle, WriteScope } from '../platform/db/database.ts';
import { fail } from '../platform/failure.ts';
import { isStorable } from '../platform/json.ts';
import { followingOf } from './keep.ts';
import type { ExchangeParts } from './parts.ts';

export const SETTLE_QUEUE = 'settle';
/** Every second the queue is given what waits. While more comes in, taking that in comes first. */
const IN_A_FLOOD_MS = 50;
const AFTERWARDS_MS = 400;
/** Pushes that are kept by one statement. */
const TOGETHER = { most: 100, atOnce: 1 };

/** An organisation of whose parcels something was pushed. */
export interface SettleJob {
  readonly organizationId: string;
}

export interface TakenEvents {
  /** All of them were known already. */
  readonly isDuplicate: boolean;
  /** Each of them joined a shipment that is known. */
  readonly isLinked: boolean;
}

/**
 * Keeps what a carrier pushed, with its receipts and with the mark that something follows from it, in one
 * transaction: once it is answered nothing of it can be lost, and said again it does nothing.
 */
export interface EventTaker {
  /** @throws Failure invalid_payload with the first wrong field */
  take(organizationId: string, text: string): Promise<TakenEvents>;
}

/** Pushes of an organisation that come together are kept together, by one statement and one wait for the disk. */
export function openEventTaker({ database }: Pick<ExchangeParts, 'database'>, carrier: Carrier): EventTaker {
  const batches = openBatches<readonly SourceShipmentEvent[], readonly RecordedEvent[]>(
    TOGETHER,
    async (organizationId, pushes) => {
      const organization = database.receipts.within(organizationId);
      const events = pushes.flat();
      const record = (scope: WriteScope) => recordEvents(scope, carrier, events);
      // An alert is a statement of its own.
      const isAlarming = events.some(({ category }) => category === null);
      const recorded = await (isAlarming ? organization.write(record) : organization.writeOnce(record));
      return pushes.map((events) => recorded.splice(0, events.length));
    },
  );
  return {
    async take(organizationId, text) {
      const recorded = await batches.add(organizationId, readEvents(carrier, text));
      return {
        isDuplicate: recorded.every(({ isDuplicate }) => isDuplicate),
        isLinked: recorded.every(({ shipment }) => shipment !== null),
      };
    },
  };
}

/**
 * Hands what was marked to the queue, one job an organisation. A job in the transaction of each event would let these
 * follow one another, each with its own wait for the disk.
 */
export async function queueSettling(
  { queue }: Pick<ExchangeParts, 'queue'>,
  handle: WriteHandle,
): Promise<void> {
  const jobs = (await unsettledOrganizations(handle)).map((organizationId) => ({
    data: { organizationId } satisfies SettleJob,
    key: organizationId,
  }));
  await queue.enqueueAll(handle, SETTLE_QUEUE, jobs);
}

/**
 * Lets shipments stand where their events say; the orders and the customers follow. What takes longer than its share of
 * a second is left for the next one.
 * @returns how many shipments were looked at
 */
export async function settleOrganization(
  parts: ExchangeParts,
  { organizationId }: SettleJob,
): Promise<number> {
  const organization = parts.database.within(organizationId);
  const settleFor = async (milliseconds: number) => {
    const began = parts.clock.monotonic();
    let settled = 0;
    while (parts.clock.monotonic() - began < milliseconds) {
      const more = await organization.write((scope) => settleWaiting(scope, followingOf(parts, false)));
      if (more === 0) break;
      settled += more;
    }
    return settled;
  };
  const newest = await organization.read(newestUnsettled);
  const settled = await settleFor(IN_A_FLOOD_MS);
  const isQuiet = (await organization.read(newestUnsettled)) === newest;
  return isQuiet ? settled + (await settleFor(AFTERWARDS_MS)) : settled;
}

function readEvents(carrier: Carrier, text: string): readonly SourceShipmentEvent[] {
  const body = parseOrNull(text);
  const read = findCarrier(carrier)?.readPushed;
  if (!read) throw fail('not_found');
  if (!isStorable(text) || !isStorable(body) || tooDeep(body)) throw refuse('(whole)');
  try {
    return read(body);
  } catch (error) {
    if (error instanceof ZodError) throw refuse(error.issues[0]?.path.join('.') || '(whole)');
    throw error;
  }
}

function refuse(field: string) {
  return fail('invalid_payload', {
    param: field,
    message:
      field === '(whole)'
        ? 'El contenido recibido no es un evento ni una lista de eventos en JSON.'
        : `El evento no tiene la forma esperada: revisa ${field}.`,
  });
}
