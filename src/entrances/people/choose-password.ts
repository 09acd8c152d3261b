import { type Recovery, recoveryOf } from '../../features/people/index.ts';
import { alarm, html } from '../page.ts';
import { orShowAgain, type PageRequest, type Reply, typed } from './page-request.ts';
import { linkEnded, newPassword } from './sign-up.ts';

export async function choosePasswordPage(request: PageRequest): Promise<Reply> {
  const token = request.query.get('token') ?? '';
  return formOf(request, token, null);
}

export async function choosePassword(request: PageRequest): Promise<Reply> {
  const token = typed(request, 'token');
  const password = typed(request, 'contrasena');
  const recovery = await found(request, token);
  if (!recovery) return linkEnded();
  return orShowAgain(
    async () => {
      await request.people.choosePassword({ token, password, address: request.address });
      return { to: `/entrar?aviso=${NOTES_AFTER[kindOf(recovery)]}` };
    },
    ({ message }) => formOf(request, token, message),
  );
}

type Kind = 'first' | 'another' | 'another beside passkeys';

/** What the sign-in page says. */
const NOTES_AFTER: Readonly<Record<Kind, string>> = {
  first: 'primera',
  another: 'contrasena',
  'another beside passkeys': 'contrasena-llaves',
};
const CONSEQUENCES: Readonly<Record<Kind, string>> = {
  first: 'Después entras con tu correo y esta contraseña.',
  another:
    'Al guardarla se cierra tu sesión en todos los dispositivos. La verificación en dos pasos sigue igual.',
  'another beside passkeys':
    'Al guardarla se cierra tu sesión en todos los dispositivos. La verificación en dos pasos sigue igual; tus llaves de acceso quedan suspendidas hasta que uses una de ellas con la contraseña nueva.',
};

function kindOf({ hasPasskeys, isFirst }: Recovery): Kind {
  if (hasPasskeys) return 'another beside passkeys';
  return isFirst ? 'first' : 'another';
}

function found({ database, clock }: PageRequest, token: string): Promise<Recovery | null> {
  return database.read((handle) => recoveryOf(handle, token, clock.now()));
}

async function formOf(request: PageRequest, token: string, wrong: string | null): Promise<Reply> {
  const recovery = await found(request, token);
  if (!recovery) return linkEnded();
  const kind = kindOf(recovery);
  return {
    title: 'Elige tu contraseña',
    body: html`${alarm(wrong)}
      <form method="post" action="/restablecer">
        <input type="hidden" name="token" value="${token}">
        ${newPassword('contrasena', kind === 'first' ? 'Contraseña' : 'Contraseña nueva')}
        <button>Guardar contraseña</button>
      </form>
      <p>${CONSEQUENCES[kind]}</p>
      <p><a href="/recuperar">Pedir otro enlace</a></p>`,
  };
}
