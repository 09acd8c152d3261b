/** Documents as versions kept them that did not seal. */

import type { Carrier } from '../../src/carriers/contract.ts';
import { shipmentDocument } from '../../src/features/shipments/index.ts';
import type { TestApp } from './app.ts';
import { query } from './market.ts';

/** Of all shipments of an organisation, in their own tables and in those of the carriers. */
export async function unsealShipments(
  instance: TestApp,
  organizationId = instance.organization.id,
): Promise<void> {
  const rows = await query(
    instance,
    'select carrier, account_id, id from shipments where organization_id = $1',
    [organizationId],
  );
  for (const { carrier, account_id: accountId, id } of rows) {
    const identity = { carrier: carrier as Carrier, accountId: String(accountId), id: String(id) };
    const document = await instance.app.database
      .within(organizationId)
      .read((scope) => shipmentDocument(scope, identity));
    await query(
      instance,
      `update shipments set raw = $5, raw_box = null
        where organization_id = $1 and carrier = $2 and account_id = $3 and id = $4`,
      [organizationId, carrier, accountId, id, document],
    );
    await query(
      instance,
      `update paquetexpress_shipments set raw = $4, raw_box = null, raw_digest = null
        where organization_id = $1 and account_id = $2 and tracking_number = $3`,
      [organizationId, accountId, id, document],
    );
  }
}

/**
 * Ends the connection of the first update that meets a condition, in its transaction, as a crash
 * would. @returns a function that stops it
 */
export async function endUpdatesOf(
  instance: TestApp,
  table: string,
  condition: string,
): Promise<() => Promise<unknown>> {
  await query(
    instance,
    `create function end_connection() returns trigger language plpgsql as
     'begin perform pg_terminate_backend(pg_backend_pid()); return new; end'`,
  );
  await query(
    instance,
    `create trigger ending before update on ${table} for each row
      when (${condition}) execute function end_connection()`,
  );
  return () => query(instance, `drop trigger ending on ${table}`);
}
