import {
  changeRole,
  isRole,
  linkTo,
  type Member,
  makeUser,
  membersOf,
  normalEmail,
  ROLE_NAMES,
  ROLES,
  type Role,
  removeFactors,
  removeMember,
} from '../features/people/index.ts';
import type { ReadScope } from '../platform/db/database.ts';
import { fail, invalid } from '../platform/failure.ts';
import { openPostbox } from '../platform/mail.ts';
import { formatMillis } from '../platform/time.ts';
import { type Command, inContext, inRemovalContext, organizationOf } from './command.ts';

/** The operator has no role in the organisation. */
const OPERATOR = 'operator';

export const createUser: Command = {
  usage: 'create-user --organization ID --email CORREO --role ROL',
  about: `Agrega a una persona, con un enlace de un solo uso. ROL: ${ROLES.join(', ')}.`,
  options: ['organization', 'email', 'role'],
  required: ['organization', 'email', 'role'],
  async run({ organization: id, email = '', role: given = '' }) {
    const role = roleOf(given);
    const { made, publicUrl } = await inContext(async ({ database, publicUrl }) => {
      const organization = await organizationOf(database, id);
      const made = await database
        .within(organization.id)
        .write((scope) => makeUser(scope, { email, role }));
      return { made, publicUrl };
    });
    const link = made.hasPassword ? null : linkTo(publicUrl, '/restablecer', made.token);
    const how = link
      ? `Con este enlace elige su contraseña, una sola vez y durante 24 horas:\n${link}`
      : `Ya tiene cuenta: entra con su contraseña en ${publicUrl}/entrar`;
    return {
      json: { user_id: made.personId, email: made.email, role, created: made.isNew, link },
      text: `${made.email} tiene el rol: ${ROLE_NAMES[role]}. ${how}`,
    };
  },
};

export const membersCommand: Command = {
  usage: 'members --organization ID',
  about: 'Lista a las personas de una organización y lo que son en ella.',
  options: ['organization'],
  required: ['organization'],
  async run({ organization: id }) {
    const members = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      return database.within(organization.id).read(membersOf);
    });
    const rows = members.map(({ personId, name, email, role, since }) => ({
      user_id: personId,
      email,
      name,
      role,
      since: formatMillis(since),
    }));
    const lines = rows.map(({ email, name, role }) => `${email}  ${name}: ${ROLE_NAMES[role]}`);
    return {
      json: { members: rows },
      text: lines.join('\n') || 'La organización todavía no tiene personas.',
    };
  },
};

export const setRoleCommand: Command = {
  usage: 'set-role --organization ID --email CORREO --role ROL',
  about: 'Cambia lo que una persona es en la organización; vale en menos de un segundo.',
  options: ['organization', 'email', 'role'],
  required: ['organization', 'email', 'role'],
  async run({ organization: id, email = '', role: given = '' }) {
    const role = roleOf(given);
    const member = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      return database.within(organization.id).write(async (scope) => {
        const found = await memberWith(scope, email);
        await changeRole(scope, OPERATOR, { personId: found.personId, role });
        return found;
      });
    });
    return {
      json: { user_id: member.personId, email: member.email, role },
      text: `${member.email} ahora es: ${ROLE_NAMES[role]}.`,
    };
  },
};

export const removeMemberCommand: Command = {
  usage: 'remove-member --organization ID --email CORREO',
  about: 'Saca a una persona de la organización, con sus agentes; vale en menos de un segundo.',
  options: ['organization', 'email'],
  required: ['organization', 'email'],
  async run({ organization: id, email = '' }) {
    const member = await inRemovalContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      return database.within(organization.id).write(async (scope) => {
        const found = await memberWith(scope, email);
        await removeMember(scope, OPERATOR, found.personId);
        return found;
      });
    });
    return {
      json: { user_id: member.personId, email: member.email, removed: true },
      text: `${member.email} ya no pertenece a la organización.`,
    };
  },
};

export const removeFactorsCommand: Command = {
  usage: 'remove-factors --organization ID --email CORREO',
  about:
    'Quita el segundo factor y las llaves de acceso de quien los perdió, cierra sus sesiones y le avisa por correo.',
  options: ['organization', 'email'],
  required: ['organization', 'email'],
  async run({ organization: id, email = '' }) {
    const member = await inContext(async ({ database, publicUrl, exchange }) => {
      const organization = await organizationOf(database, id);
      const found = await database
        .within(organization.id)
        .read((scope) => memberWith(scope, email));
      const { queue, keyring } = await exchange();
      const parts = { postbox: openPostbox(queue, keyring), publicUrl };
      await database.write((handle) => removeFactors(handle, parts, found));
      return found;
    });
    return {
      json: { user_id: member.personId, email: member.email, factors_removed: true },
      text: `${member.email} entra solo con su contraseña hasta que configure otro segundo factor.`,
    };
  },
};

/** @throws Failure invalid_request */
function roleOf(given: string): Role {
  if (!isRole(given)) throw invalid('role', `El rol debe ser uno de: ${ROLES.join(', ')}.`);
  return given;
}

/** @throws Failure not_found */
async function memberWith(scope: ReadScope, email: string): Promise<Member> {
  const wanted = normalEmail(email);
  const member = (await membersOf(scope)).find((one) => one.email === wanted);
  if (!member)
    throw fail('not_found', { message: 'Nadie con ese correo pertenece a la organización.' });
  return member;
}
