import type { Carrier } from '../../carriers/contract.ts';
import { findCarrier } from '../../carriers/registry.ts';
import { raiseAlert } from '../../features/alerts/index.ts';
import {
  addressSecretOf,
  type ConnectionState,
  everyConnection,
  hasWebhookSecret,
  isStillConnected,
  rotateWebhookSecret,
  setState,
} from '../../features/connections/index.ts';
import type { Organization } from '../../features/organizations/index.ts';
import { authorize } from '../../features/people/index.ts';
import { noteAct, type PersonDoing } from '../../features/trail/index.ts';
import { fail } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';

/**
 * The address that an organisation gives to a carrier, with its own secret; the same until it is
 * rotated. The secret authorises events of that organisation's shipments only.
 */
export async function webhookAddress(
  { database, keyring, publicUrl }: Pick<ExchangeParts, 'database' | 'keyring' | 'publicUrl'>,
  organization: Pick<Organization, 'id' | 'publicId'>,
  carrier: Carrier,
  { rotate = false, by }: { readonly rotate?: boolean; readonly by?: PersonDoing } = {},
): Promise<string> {
  const { name = carrier, facts } = findCarrier(carrier) ?? {};
  const path = facts?.eventsPath;
  if (!path) throw fail('not_found', { details: { carrier } });
  const secret = await database.within(organization.id).write(async (scope) => {
    if (by) await authorize(scope, by.personId, 'manage_connections');
    if (!rotate) return addressSecretOf(scope, keyring, carrier);
    if (by) await noteAct(scope, by, 'event_address_rotated', { label: name });
    return rotateWebhookSecret(scope, keyring, carrier);
  });
  const address = new URL(`${publicUrl}${path}/${organization.publicId}`);
  address.searchParams.set('secret', secret);
  return address.href;
}

function withoutAddress(name: string): string {
  return `Tu cuenta de ${name} se conectó sin dirección de webhooks. Reconéctala para obtener una; no se pierde nada.`;
}

const NOT_ASKED: readonly ConnectionState[] = ['reauth_required', 'paused', 'disconnected'];

/**
 * Asks to reconnect accounts whose organisation has no address of its own, since no secret is
 * shared by organisations.
 * @returns how many accounts
 */
export async function askForAddresses({
  database,
}: Pick<ExchangeParts, 'database'>): Promise<number> {
  let asked = 0;
  for (const { id, organizationId, service, state } of await database.read(everyConnection)) {
    const carrier = findCarrier(service as Carrier);
    if (!carrier?.facts.eventsPath || NOT_ASKED.includes(state)) continue;
    const organization = database.within(organizationId);
    if (await organization.read((scope) => hasWebhookSecret(scope, service))) continue;
    await organization.write(async (scope) => {
      if (!(await isStillConnected(scope, id))) return;
      const message = withoutAddress(carrier.name);
      await setState(scope, id, 'reauth_required', message);
      await raiseAlert(scope, { kind: 'connection', subject: id, message });
    });
    asked++;
  }
  return asked;
}
