import { isRole, linkTo, makeUser, ROLE_NAMES, ROLES } from '../features/accounts/index.ts';
import { invalid } from '../platform/failure.ts';
import { atDesk, type Command, organizationOf } from './command.ts';

export const createUser: Command = {
  usage: 'create-user --organization ID --email CORREO --role PAPEL',
  about: `Da entrada a una persona, con un enlace de un solo uso. PAPEL: ${ROLES.join(', ')}.`,
  options: ['organization', 'email', 'role'],
  required: ['organization', 'email', 'role'],
  async run({ organization: id, email = '', role = '' }) {
    if (!isRole(role)) throw invalid('role', `El papel debe ser uno de: ${ROLES.join(', ')}.`);
    const { made, link } = await atDesk(async ({ config, database }) => {
      const organization = await organizationOf(database, id);
      const made = await database.within(organization.id).write((scope) => makeUser(scope, { email, role }));
      return { made, link: linkTo(config.settings.publicUrl, '/restablecer', made.token) };
    });
    return {
      json: { user_id: made.personId, email: made.email, role, created: made.isNew, link },
      text: `${made.email} entra como: ${ROLE_NAMES[role]}. Con este enlace elige su contraseña, una sola vez y durante 24 horas:\n${link}`,
    };
  },
};
