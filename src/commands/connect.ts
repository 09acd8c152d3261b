import { readFile } from 'node:fs/promises';
import { CARRIERS, type ServiceSlug } from '../carriers/contract.ts';
import { findCarrier, SERVICES } from '../carriers/registry.ts';
import { webhookAddress } from '../exchange/connect/event-address.ts';
import { connectNowJob, sealConnection } from '../exchange/jobs/connect-now.ts';
import { invalid } from '../platform/failure.ts';
import { type Command, inContext, organizationOf } from './command.ts';
import { handOver } from './hand-over.ts';

export const connectCommand: Command = {
  usage: 'connect --organization ID --marketplace SLUG --credentials ARCHIVO.json [--base-url URL]',
  about:
    'Comprueba las credenciales y conecta la cuenta. SLUG: un marketplace o una paquetería. URL: otro servidor en lugar del suyo, para pruebas.',
  options: ['organization', 'marketplace', 'credentials', 'base-url'],
  required: ['organization', 'marketplace', 'credentials'],
  async run({ organization: id, marketplace, credentials: file = '', 'base-url': base }) {
    const slug = slugOf(marketplace);
    const credentials = await readCredentialFile(file);
    const addressed = CARRIERS.find(
      (carrier) => carrier === slug && findCarrier(carrier)?.facts.eventsPath,
    );
    const baseUrl = base === undefined ? null : originOf(base);
    const json = await inContext(async (context) => {
      const organization = await organizationOf(context.database, id);
      const { keyring } = await context.exchange();
      const wanted = { organizationId: organization.id, service: slug, baseUrl };
      const connected = await handOver(
        context,
        connectNowJob,
        sealConnection(keyring, wanted, credentials),
      );
      // Reported here and not by the job: the job's result is stored unencrypted.
      const address =
        addressed && (await webhookAddress(await context.exchange(), organization, addressed));
      return { ...connected, ...(address && { webhook_url: address }) };
    });
    return { json, text: sentence(json) };
  },
};

interface Connected {
  readonly connection_id: string;
  /** The carrier's webhook address, which the seller enters at the carrier. */
  readonly webhook_url?: string;
}

function sentence({ connection_id, webhook_url }: Connected): string {
  const connected = `Cuenta conectada: ${connection_id}.`;
  return webhook_url === undefined
    ? connected
    : `${connected} Si aún no la tiene, entrega a la paquetería esta dirección de webhooks:\n${webhook_url}`;
}

export function slugOf(text: string | undefined): ServiceSlug {
  const slug = SERVICES.find((known) => known === text);
  if (!slug)
    throw invalid(
      'marketplace',
      `El marketplace o la paquetería debe ser: ${SERVICES.join(', ')}.`,
    );
  return slug;
}

async function readCredentialFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'no es JSON válido' : 'no se puede leer';
    throw invalid('credentials', `El archivo de credenciales ${why}.`);
  }
}

function originOf(text: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw invalid('base-url', '--base-url debe ser una dirección http o https.');
  return url.origin;
}
