import { createKey, revokeKey } from '../features/keys/index.ts';
import {
  changePlan,
  createOrganization,
  listOrganizations,
  type Organization,
  setSuspended,
} from '../features/organizations/index.ts';
import { isPlan, PLANS, type Plan } from '../features/plans/index.ts';
import { fail, invalid } from '../platform/failure.ts';
import { type Command, inContext, inRemovalContext, isUuid, organizationOf } from './command.ts';

export const createOrganizationCommand: Command = {
  usage: 'create-organization --name NOMBRE --plan PLAN',
  about: 'Crea una organización. PLAN: demo, basico, intermedio, avanzado o experto.',
  options: ['name', 'plan'],
  required: ['name', 'plan'],
  async run({ name = '', plan }) {
    const chosen = planOf(plan);
    const organization = await inContext(({ database, runtime }) =>
      database.write((handle) => createOrganization(handle, runtime.clock, { name, plan: chosen })),
    );
    return {
      json: { organization_id: organization.id, public_id: organization.publicId },
      text: `Organización ${organization.id} con el plan ${PLANS[chosen].name}.`,
    };
  },
};

export const organizationsCommand: Command = {
  usage: 'organizations',
  about: 'Lista las organizaciones con su identificador, su plan y si están suspendidas.',
  options: [],
  required: [],
  async run() {
    const found = await inContext(({ database }) => database.read(listOrganizations));
    const line = ({ id, name, plan, isSuspended }: Organization) =>
      `${id}  ${name}: plan ${PLANS[plan].name}${isSuspended ? ', suspendida' : ''}`;
    return {
      json: {
        organizations: found.map(({ id, publicId, name, plan, isSuspended }) => ({
          organization_id: id,
          public_id: publicId,
          name,
          plan,
          suspended: isSuspended,
        })),
      },
      text: found.map(line).join('\n') || 'Todavía no hay organizaciones.',
    };
  },
};

export const suspendCommand = suspension({
  name: 'suspend',
  about:
    'Suspende una organización: sus claves de API y sus agentes dejan de leer en menos de un segundo.',
  isSuspended: true,
  done: 'quedó suspendida: sus claves de API y sus agentes ya no pueden leer.',
});

export const resumeCommand = suspension({
  name: 'resume',
  about: 'Reactiva una organización suspendida, con las claves y los agentes que tenía.',
  isSuspended: false,
  done: 'está activa: sus claves de API y sus agentes vuelven a leer.',
});

function suspension(kind: {
  name: string;
  about: string;
  isSuspended: boolean;
  done: string;
}): Command {
  const { name, about, isSuspended, done } = kind;
  return {
    usage: `${name} --organization ID`,
    about,
    options: ['organization'],
    required: ['organization'],
    async run({ organization: id }) {
      const organization = await inContext(async ({ database, runtime }) => {
        const known = await organizationOf(database, id);
        await database.write((handle) =>
          setSuspended(handle, runtime.clock, known.id, isSuspended),
        );
        return known;
      });
      return {
        json: { organization_id: organization.id, suspended: isSuspended },
        text: `«${organization.name}» ${done}`,
      };
    },
  };
}

export const createKeyCommand: Command = {
  usage: 'create-key --organization ID [--name NOMBRE] [--scopes a,b]',
  about: 'Crea una clave de API, que se muestra una sola vez. Sin --scopes puede leer órdenes.',
  options: ['organization', 'name', 'scopes'],
  required: ['organization'],
  async run({ organization: id, name = 'Clave de API', scopes }) {
    const made = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      const terms = { name, scopes: scopes?.split(',').map((scope) => scope.trim()) };
      return database.within(organization.id).write((scope) => createKey(scope, 'operator', terms));
    });
    const { id: keyId, key } = made;
    return {
      json: { id: keyId, key },
      text: `Clave ${keyId}. Guárdala ahora, no se vuelve a mostrar:\n${key}`,
    };
  },
};

export const revokeKeyCommand: Command = {
  usage: 'revoke-key --key-id ID',
  about: 'Revoca una clave; deja de servir en menos de un segundo.',
  options: ['key-id'],
  required: ['key-id'],
  async run({ 'key-id': id }) {
    if (!isUuid(id)) throw invalid('key-id', 'El identificador de la clave no es válido.');
    const known = await inRemovalContext(({ database }) =>
      database.write((handle) => revokeKey(handle, 'operator', id)),
    );
    if (!known) throw fail('not_found', { message: 'No existe una clave con ese identificador.' });
    return { json: { id, revoked: true }, text: `Clave ${id} revocada.` };
  },
};

export const setPlanCommand: Command = {
  usage: 'set-plan --organization ID --plan PLAN [--quota N]',
  about: 'Cambia el plan. N: solicitudes por minuto en lugar de las del plan, solo con experto.',
  options: ['organization', 'plan', 'quota'],
  required: ['organization', 'plan'],
  async run({ organization: id, plan, quota }) {
    const chosen = planOf(plan);
    const requests = quota === undefined ? null : quotaOf(quota);
    await inContext(async ({ database, runtime }) => {
      const organization = await organizationOf(database, id);
      const change = { organizationId: organization.id, plan: chosen, quota: requests };
      await database.write((handle) => changePlan(handle, runtime.clock, change));
    });
    const perMinute = requests ?? PLANS[chosen].requestsPerMinute;
    return {
      json: { organization_id: id, plan: chosen, requests_per_minute: perMinute },
      text: `Plan ${PLANS[chosen].name}, ${perMinute} solicitudes por minuto.`,
    };
  },
};

function planOf(text: string | undefined): Plan {
  if (text === undefined || !isPlan(text))
    throw invalid('plan', `El plan debe ser uno de: ${Object.keys(PLANS).join(', ')}.`);
  return text;
}

function quotaOf(text: string): number {
  const quota = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (quota < 1) throw invalid('quota', 'La cuota debe ser un entero de 1 o más.');
  return quota;
}
