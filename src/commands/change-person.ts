import { changePerson, personWith } from '../features/people/index.ts';
import { invalid } from '../platform/failure.ts';
import { openPostbox } from '../platform/mail.ts';
import { askForHelp } from '../platform/operator.ts';
import { type Command, inContext } from './command.ts';

export const changePersonCommand: Command = {
  usage: 'change-person --email CORREO [--new-email CORREO] [--name NOMBRE]',
  about:
    'Corrige el correo o el nombre de una persona. Con otro correo cierra sus sesiones y avisa a los dos. Comprueba antes que es ella quien lo pide.',
  options: ['email', 'new-email', 'name'],
  required: ['email'],
  async run({ email = '', 'new-email': newEmail, name }) {
    if (newEmail === undefined && name === undefined)
      throw invalid('new-email', 'Indica --new-email, --name o los dos.');
    const person = await inContext(async ({ config, database, publicUrl, runtime, exchange }) => {
      const { queue, keyring } = await exchange();
      const help = askForHelp(config.settings);
      const parts = { postbox: openPostbox(queue, keyring), publicUrl, help };
      const change = { email: newEmail, name };
      return database.write(async (handle) =>
        changePerson(handle, parts, await personWith(handle, email), change, runtime.clock.now()),
      );
    });
    return {
      json: { user_id: person.id, email: person.email, name: person.name },
      text: `La cuenta ahora es de ${person.name}, con el correo ${person.email}.`,
    };
  },
};
