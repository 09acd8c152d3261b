import type { AuthCall } from '../../features/accounts/index.ts';
import { SHORTEST_PASSWORD } from '../../features/accounts/index.ts';
import { alarm, field, type Html, html } from '../page.ts';
import { ask, orAgain, type Reply, typed, type Visit } from './visit.ts';

const GET: AuthCall['method'] = 'GET';

export async function signUpPage(): Promise<Reply> {
  return form({ name: '', email: '', organization: '' }, null);
}

export async function signUp(visit: Visit): Promise<Reply> {
  const given = {
    name: typed(visit, 'nombre'),
    email: typed(visit, 'correo'),
    organization: typed(visit, 'organizacion'),
  };
  return orAgain(
    async () => {
      const { people, address } = visit;
      await people.attempts.count('sign-up', address);
      await people.signUp({ ...given, password: typed(visit, 'contrasena'), address });
      return {
        title: 'Revisa tu correo',
        body: html`<p>Te enviamos un enlace a <strong>${given.email.trim()}</strong>. Ábrelo para terminar tu registro.</p>
          <p>Si no llega en unos minutos, busca en el correo no deseado.</p>
          <p><a href="/entrar">Entrar</a></p>`,
      };
    },
    ({ message }) => form(given, message),
  );
}

/** Only a person's own press confirms: what looks into mails by itself opens links, too. */
export async function verifyEmailPage({ query }: Visit): Promise<Reply> {
  const token = query.get('token') ?? '';
  return {
    title: 'Confirma tu correo',
    body:
      token === ''
        ? html`<p>Abre el enlace que te enviamos por correo.</p>`
        : html`<form method="post" action="/verificar-correo">
            <input type="hidden" name="token" value="${token}">
            <button>Confirmar mi correo</button>
          </form>`,
  };
}

export async function verifyEmail(visit: Visit): Promise<Reply> {
  return orAgain(
    async () => {
      await ask(visit, `/verify-email?token=${encodeURIComponent(typed(visit, 'token'))}`, undefined, GET);
      return { to: '/entrar?aviso=confirmado' };
    },
    () => ({
      title: 'El enlace ya no sirve',
      body: html`<p role="alert">Venció o no está completo. <a href="/entrar">Entra</a> con tu contraseña y te enviamos otro.</p>`,
    }),
  );
}

/** The field for a new password, as everywhere. */
export function newPassword(name = 'contrasena', label = 'Contraseña'): Html {
  return field({
    name,
    label,
    type: 'password',
    autocomplete: 'new-password',
    hint: `Al menos ${SHORTEST_PASSWORD} caracteres. Varias palabras seguidas sirven bien.`,
    least: SHORTEST_PASSWORD,
    most: 512,
  });
}

function form(given: { name: string; email: string; organization: string }, wrong: string | null): Reply {
  return {
    title: 'Crea tu cuenta',
    body: html`${alarm(wrong)}
      <p>Prueba Tianguis durante 14 días, sin tarjeta.</p>
      <form method="post" action="/registro">
        ${field({ name: 'nombre', label: 'Tu nombre', autocomplete: 'name', value: given.name, most: 80 })}
        ${field({ name: 'organizacion', label: 'Tu tienda u organización', autocomplete: 'organization', value: given.organization, most: 120, isOptional: true, hint: 'Puedes dejarlo vacío.' })}
        ${field({ name: 'correo', label: 'Correo', type: 'email', autocomplete: 'email', value: given.email })}
        ${newPassword()}
        <button>Crear cuenta</button>
      </form>
      <p>¿Ya tienes cuenta? <a href="/entrar">Entra</a></p>`,
  };
}
