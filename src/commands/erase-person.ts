import { disconnectAgentsOf } from '../features/grants/index.ts';
import { findOrganization } from '../features/organizations/index.ts';
import {
  accountErasedMail,
  erasePerson,
  membershipsOf,
  normalEmail,
  personOf,
  personWith,
  refuseLastOwner,
} from '../features/people/index.ts';
import { removeSample } from '../features/samples/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, WriteHandle } from '../platform/db/database.ts';
import { invalid } from '../platform/failure.ts';
import { openPostbox } from '../platform/mail.ts';
import { askForHelp } from '../platform/operator.ts';
import { type Command, inRemovalContext } from './command.ts';

export const erasePersonCommand: Command = {
  usage: 'erase-person --email CORREO --confirm CORREO',
  about:
    'Elimina la cuenta de una persona para siempre, con sus sesiones, accesos y agentes, y le avisa. En --confirm repite el correo. Las claves de API que creó siguen sirviendo.',
  options: ['email', 'confirm'],
  required: ['email', 'confirm'],
  async run({ email = '', confirm = '' }) {
    if (normalEmail(confirm) !== normalEmail(email))
      throw invalid('confirm', 'Para eliminar la cuenta, repite su correo en --confirm.');
    const { id, organizations } = await inRemovalContext(async (context) => {
      const { config, database, runtime } = context;
      const { queue, keyring } = await context.exchange();
      const person = await database.read((handle) => personWith(handle, email));
      const mail = accountErasedMail(person, askForHelp(config.settings));
      const postbox = openPostbox(queue, keyring);
      return eraseAccount(database, runtime.clock, person.id, (handle) =>
        postbox.put(handle, mail),
      );
    });
    return {
      json: { user_id: id, erased: true, organizations },
      text: `Se eliminó la cuenta ${id}. El registro de actividad conserva solo ese identificador.`,
    };
  },
};

/**
 * Erases the account with the person's sample. Nothing is erased where the person is the last owner
 * of an organisation.
 * @param also in the transaction of the end
 * @throws Failure not_found, last_owner
 */
export async function eraseAccount(
  database: Database,
  clock: Clock,
  id: string,
  also: (handle: WriteHandle) => Promise<void>,
): Promise<{ id: string; organizations: string[] }> {
  const samples = await database.write(async (handle) => {
    const found: string[] = [];
    for (const membership of await membershipsOf(handle, id)) {
      const { organizationId } = membership;
      if ((await findOrganization(handle, organizationId))?.isSample) found.push(organizationId);
      else await refuseLastOwner(handle, membership);
    }
    return found;
  });
  for (const sample of samples) await removeSample(database, clock, sample);
  return database.write(async (handle) => {
    const person = await personOf(handle, id);
    for (const { organizationId } of await membershipsOf(handle, id))
      await disconnectAgentsOf(handle.within(organizationId), 'operator', id);
    const organizations = await erasePerson(handle, clock, person);
    await also(handle);
    return { id, organizations };
  });
}
