import { ZodError } from 'zod';
import type { Carrier, SourceShipmentEvent } from '../../carriers/contract.ts';
import { findCarrier } from '../../carriers/registry.ts';
import { parseOrNull } from '../../connectors/answer-document.ts';
import { tooDeep } from '../../connectors/bounds.ts';
import { type RecordedEvent, recordEvents } from '../../features/shipments/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { openGroupCommit } from '../../platform/group-commit.ts';
import { isStorable } from '../../platform/json.ts';
import type { ExchangeParts } from '../parts.ts';

/** Webhooks stored by one statement. */
const TOGETHER = { most: 100, atOnce: 1 };

interface ReceivedEvents {
  /** All of them were known already. */
  readonly isDuplicate: boolean;
  /** Each of them joined a shipment that is known. */
  readonly isLinked: boolean;
}

/**
 * Stores events that a carrier sent, with their receipts and the mark that shipments are to be
 * updated, in one transaction. A repeated event changes nothing.
 */
export interface EventReceiver {
  /** @throws Failure invalid_payload with the first wrong field */
  receive(organizationId: string, text: string): Promise<ReceivedEvents>;
}

/** Webhooks of an organisation that arrive together are stored by one statement and one commit. */
export function openEventReceiver(
  { database }: Pick<ExchangeParts, 'database'>,
  carrier: Carrier,
): EventReceiver {
  const commits = openGroupCommit<readonly SourceShipmentEvent[], readonly RecordedEvent[]>(
    TOGETHER,
    async (organizationId, pushes) => {
      const organization = database.receipts.within(organizationId);
      const events = pushes.flat();
      const servers = database.kind === 'citus' ? 'several' : 'one';
      const record = (scope: WriteScope) => recordEvents(scope, carrier, events, servers);
      // An alert needs another statement.
      const isAlarming = events.some(({ category }) => category === null);
      const recorded = await (isAlarming || servers === 'several'
        ? organization.write(record)
        : organization.writeOnce(record));
      return pushes.map((events) => recorded.splice(0, events.length));
    },
  );
  return {
    async receive(organizationId, text) {
      const recorded = await commits.add(organizationId, readEvents(carrier, text));
      return {
        isDuplicate: recorded.every(({ isDuplicate }) => isDuplicate),
        isLinked: recorded.every(({ shipment }) => shipment !== null),
      };
    },
  };
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
