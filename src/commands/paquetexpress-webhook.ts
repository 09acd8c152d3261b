import { webhookAddress } from '../exchange/connect/event-address.ts';
import { atDesk, type Command, organizationOf } from './command.ts';

export const paquetexpressWebhook: Command = {
  usage: 'paquetexpress-webhook --organization ID [--rotate]',
  about:
    'Muestra la dirección de avisos de la organización, que se entrega a Paquetexpress. Con --rotate la cambia; cada anterior sirve un día más desde ese momento, y si hay más de cuatro, la más antigua y las tres últimas.',
  options: ['organization'],
  required: ['organization'],
  flags: ['rotate'],
  async run({ organization: id, rotate }) {
    const url = await atDesk(async (desk) => {
      const organization = await organizationOf(desk.database, id);
      return webhookAddress(await desk.exchange(), organization, 'paquetexpress', {
        rotate: rotate !== undefined,
      });
    });
    return {
      json: { webhook_url: url },
      text: `Entrega esta dirección a Paquetexpress; quien la tenga puede avisar de tus envíos:\n${url}`,
    };
  },
};
