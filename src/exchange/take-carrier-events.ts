import { ZodError } from 'zod';
import type { Carrier, SourceShipmentEvent } from '../carriers/contract.ts';
import { findCarrier } from '../carriers/registry.ts';
import { parseOrNull } from '../connectors/kit.ts';
import {
  type RecordedEvent,
  recordEvent,
  settleWaiting,
  unsettledOrganizations,
} from '../features/shipments/index.ts';
import type { WriteHandle } from '../platform/db/database.ts';
import { fail } from '../platform/failure.ts';
import { isStorable } from '../platform/json.ts';
import { followingOf } from './keep.ts';
import type { ExchangeParts } from './parts.ts';

export const SETTLE_QUEUE = 'settle';

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
 * transaction: once this returns nothing of it can be lost, and said again it does nothing.
 * @throws Failure invalid_payload with the first wrong field
 */
export async function takeCarrierEvents(
  { database }: Pick<ExchangeParts, 'database'>,
  organizationId: string,
  carrier: Carrier,
  text: string,
): Promise<TakenEvents> {
  const events = readEvents(carrier, text);
  return database.within(organizationId).write(async (scope) => {
    const recorded: RecordedEvent[] = [];
    for (const event of events) recorded.push(await recordEvent(scope, carrier, event));
    return {
      isDuplicate: recorded.every(({ isDuplicate }) => isDuplicate),
      isLinked: recorded.every(({ shipment }) => shipment !== null),
    };
  });
}

/**
 * Hands what was marked to the queue, one job an organisation. A job in the transaction of each event would let these
 * follow one another, each with its own wait for the disk.
 */
export async function queueSettling(
  { queue }: Pick<ExchangeParts, 'queue'>,
  handle: WriteHandle,
): Promise<void> {
  for (const organizationId of await unsettledOrganizations(handle))
    await queue.enqueue(handle, SETTLE_QUEUE, { organizationId } satisfies SettleJob, organizationId);
}

/**
 * Lets shipments stand where their events say; the orders and the customers follow.
 * @returns how many shipments were looked at
 */
export async function settleOrganization(
  parts: ExchangeParts,
  { organizationId }: SettleJob,
): Promise<number> {
  const organization = parts.database.within(organizationId);
  for (let settled = 0; ; ) {
    const more = await organization.write((scope) => settleWaiting(scope, followingOf(parts, false)));
    settled += more;
    if (more === 0) return settled;
  }
}

function readEvents(carrier: Carrier, text: string): readonly SourceShipmentEvent[] {
  const body = parseOrNull(text);
  const read = findCarrier(carrier)?.readPushed;
  if (!read) throw fail('not_found');
  if (!isStorable(text) || !isStorable(body)) throw refuse('(whole)');
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
