import type { CarrierConnector } from '../carriers/contract.ts';
import { carriersThat } from '../carriers/registry.ts';
import { webhookAddress } from '../exchange/connect/event-address.ts';
import { invalid } from '../platform/failure.ts';
import { type Command, inContext, organizationOf } from './command.ts';

export const carrierWebhook: Command = {
  usage: 'carrier-webhook --organization ID [--carrier SLUG] [--rotate]',
  about:
    'Muestra la dirección de webhooks de la organización, que se entrega a la paquetería. Con --rotate da una nueva, y la anterior sirve un día más. SLUG hace falta solo si varias paqueterías avisan así.',
  options: ['organization', 'carrier'],
  required: ['organization'],
  flags: ['rotate'],
  async run({ organization: id, carrier: slug, rotate }) {
    const carrier = carrierOf(slug);
    const url = await inContext(async (context) => {
      const organization = await organizationOf(context.database, id);
      return webhookAddress(await context.exchange(), organization, carrier.slug, {
        rotate: rotate !== undefined,
      });
    });
    return {
      json: { webhook_url: url },
      text: `Entrega esta dirección a ${carrier.name}; quien la tenga puede avisar de tus envíos:\n${url}`,
    };
  },
};

function carrierOf(slug: string | undefined): CarrierConnector<unknown> {
  const offered = carriersThat(({ facts }) => facts.eventsPath !== null);
  const [only, ...others] =
    slug === undefined ? offered : offered.filter((carrier) => carrier.slug === slug);
  if (only && others.length === 0) return only;
  const slugs = offered.map((carrier) => carrier.slug).join(', ');
  throw invalid('carrier', `La paquetería debe ser: ${slugs}.`);
}
