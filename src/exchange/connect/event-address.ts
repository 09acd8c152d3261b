import type { Carrier } from '../../carriers/contract.ts';
import { findService } from '../../carriers/registry.ts';
import { raiseAlert } from '../../features/alerts/index.ts';
import {
  everyConnection,
  hasWebhookSecret,
  rotateWebhookSecret,
  setState,
  webhookSecret,
} from '../../features/connections/index.ts';
import type { Organization } from '../../features/organizations/index.ts';
import type { ExchangeParts } from '../parts.ts';

export const EVENTS_PATH = '/webhooks/paquetexpress';

/**
 * The address that an organisation gives to the carrier, with its own secret; asked for again it is
 * the same one until it is rotated. Whoever has it may tell us what happens to that organisation's
 * parcels.
 */
export async function webhookAddress(
  { database, keyring, publicUrl }: Pick<ExchangeParts, 'database' | 'keyring' | 'publicUrl'>,
  organization: Pick<Organization, 'id' | 'publicId'>,
  carrier: Carrier,
  { rotate }: { rotate: boolean } = { rotate: false },
): Promise<string> {
  const secret = await database
    .within(organization.id)
    .write((scope) => (rotate ? rotateWebhookSecret : webhookSecret)(scope, keyring, carrier));
  const address = new URL(`${publicUrl}${EVENTS_PATH}/${organization.publicId}`);
  address.searchParams.set('secret', secret);
  return address.href;
}

const WITHOUT_ADDRESS =
  'Tu cuenta de Paquetexpress se conectó sin dirección de avisos. Reconéctala para obtener una; no se pierde nada.';

/**
 * Accounts of old whose organisation never got an address of its own must be connected again, since
 * there is no secret for all.
 * @returns how many were asked to
 */
export async function askForAddresses({
  database,
}: Pick<ExchangeParts, 'database'>): Promise<number> {
  let asked = 0;
  for (const { id, organizationId, service, state } of await database.read(everyConnection)) {
    if (
      !findService(service)?.readPushed ||
      state === 'disconnected' ||
      state === 'reauth_required'
    )
      continue;
    const organization = database.within(organizationId);
    if (await organization.read((scope) => hasWebhookSecret(scope, service))) continue;
    await organization.write(async (scope) => {
      await setState(scope, id, 'reauth_required', WITHOUT_ADDRESS);
      await raiseAlert(scope, { kind: 'connection', subject: id, message: WITHOUT_ADDRESS });
    });
    asked++;
  }
  return asked;
}
