import { hashBackupCode } from '../../features/people/index.ts';
import { Failure, invalid } from '../../platform/failure.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { SESSION_ENDED, signInSaying } from '../navigation.ts';
import { alarm, field, type Html, html, linkTo, note, noteIn, SCRIPT_PATH } from '../page.ts';
import {
  ask,
  orShowAgain,
  type PageRequest,
  type Reply,
  returnPath,
  signedInPerson,
  typed,
  withReturn,
} from './page-request.ts';

const SECOND_STEP = '/entrar/segundo-paso';
const NOTES: Readonly<Record<string, string | Html>> = {
  confirmado: 'Tu correo quedó confirmado. Ya puedes entrar.',
  primera: 'Tu contraseña quedó guardada. Ya puedes entrar.',
  contrasena: html`Tu contraseña nueva quedó guardada. Entra con ella. Si alguien más entró a tu cuenta, revisa también tus
    ${linkTo('agents', 'agentes conectados')}, que siguen sirviendo.`,
  'contrasena-llaves': html`Tu contraseña nueva quedó guardada. Entra con ella. Tus <a href="/cuenta#llaves">llaves de acceso</a> quedaron
    suspendidas: activa las que reconozcas usando una de ellas. Si alguien más entró a tu cuenta, revisa también tus
    ${linkTo('agents', 'agentes conectados')}, que siguen sirviendo.`,
  miembro: 'Ya perteneces a la organización. Entra con tu correo y tu contraseña.',
  salida: 'Saliste de tu cuenta.',
  [SESSION_ENDED]:
    'Tu sesión había terminado, así que no se hizo nada de lo que enviaste. Entra y vuelve a intentarlo.',
};

export async function signInPage(request: PageRequest): Promise<Reply> {
  const to = returnPath(request.query.get('volver'));
  if (await request.people.signedIn(request.headers)) return { to };
  return form(to, { said: noteIn(NOTES, request.query) });
}

/** The same answer, after the same work, for an unknown address and a wrong password. */
export async function signIn(request: PageRequest): Promise<Reply> {
  const to = returnPath(request.form.get('volver'));
  const [email, password] = [typed(request, 'correo').trim(), typed(request, 'contrasena')];
  return orShowAgain(
    () => enter(request, { email, password }, to),
    ({ message }) => form(to, { email, wrong: message }),
  );
}

/**
 * Opens a session, or leads to the second step.
 * @throws Failure of the sign-in
 */
export async function enter(
  request: PageRequest,
  { email, password }: { email: string; password: string },
  to: string,
): Promise<Reply> {
  const { people } = request;
  const device = people.deviceOf(request.headers);
  await people.attempts.begin(email, device);
  const { body, cookies } = await ask(request, '/sign-in/email', { email, password });
  await people.attempts.succeeded(email, device);
  if (body.twoFactorRedirect) return { to: withReturn(SECOND_STEP, to), cookies };
  return { to, cookies: [...cookies, people.deviceCookie(email)] };
}

/**
 * Opens a session after an act that holds in any case: where none opens, the person signs in.
 * @param note what the sign-in page says then
 */
export async function orSignIn(
  open: () => Promise<Reply>,
  note: 'confirmado' | 'miembro',
  to = returnPath(null),
): Promise<Reply> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { to: signInSaying(to, note) };
  }
}

export async function secondStepPage(request: PageRequest): Promise<Reply> {
  return secondStepForm(returnPath(request.query.get('volver')), null);
}

export async function secondStep(request: PageRequest): Promise<Reply> {
  const to = returnPath(request.form.get('volver'));
  const [code, backup] = [
    typed(request, 'codigo').replace(/\D/g, ''),
    typed(request, 'respaldo').trim(),
  ];
  return orShowAgain(
    async () => {
      if (code === '' && backup === '') throw invalid('codigo', 'Escribe el código.');
      const { body, cookies } =
        backup === ''
          ? await ask(request, '/two-factor/verify-totp', { code })
          : await ask(request, '/two-factor/verify-backup-code', { code: hashBackupCode(backup) });
      return { to, cookies: [...cookies, request.people.deviceCookie(body.user.email)] };
    },
    ({ message }) => secondStepForm(to, message),
  );
}

export async function signOut(request: PageRequest): Promise<Reply> {
  return left(await ask(request, '/sign-out'));
}

export async function signOutEverywhere(request: PageRequest): Promise<Reply> {
  await signedInPerson(request);
  await ask(request, '/revoke-sessions');
  return left(await ask(request, '/sign-out'));
}

function left({ cookies }: { cookies: readonly string[] }): Reply {
  return {
    to: '/entrar?aviso=salida',
    cookies,
    headers: { 'clear-site-data': '"cache", "storage"' },
  };
}

function form(
  to: string,
  {
    email = '',
    wrong = null,
    said = null,
  }: { email?: string; wrong?: string | null; said?: string | Html | null },
): Reply {
  return {
    title: SITE_PAGES.signIn.name,
    script: SCRIPT_PATH,
    formTargets: 'any',
    body: html`${note(said)}${alarm(wrong)}
      <form method="post" action="/entrar">
        <input type="hidden" name="volver" value="${to}">
        ${field({ name: 'correo', label: 'Correo', type: 'email', autocomplete: 'username webauthn', value: email })}
        ${field({ name: 'contrasena', label: 'Contraseña', type: 'password', autocomplete: 'current-password', most: 512 })}
        <button>Entrar</button>
      </form>
      <div data-passkey="enter" data-next="${to}" hidden>
        <button type="button" class="quiet">Entrar con una llave de acceso</button>
        <p role="alert" data-passkey-said></p>
      </div>
      <p><a href="/recuperar">Olvidé mi contraseña</a></p>
      <p>¿No tienes cuenta? <a href="/registro">Regístrate</a></p>`,
  };
}

function secondStepForm(to: string, wrong: string | null): Reply {
  const hidden = html`<input type="hidden" name="volver" value="${to}">`;
  return {
    title: 'Verificación en dos pasos',
    formTargets: 'any',
    body: html`${alarm(wrong)}
      <form method="post" action="${SECOND_STEP}">
        ${hidden}
        ${field({ name: 'codigo', label: 'Código de tu aplicación', autocomplete: 'one-time-code', inputmode: 'numeric', hint: 'Seis dígitos; cambian cada 30 segundos.', most: 12 })}
        <button>Continuar</button>
      </form>
      <h2>¿No tienes tu aplicación a la mano?</h2>
      <form method="post" action="${SECOND_STEP}">
        ${hidden}
        ${field({ name: 'respaldo', label: 'Código de respaldo', autocomplete: 'off', hint: 'Uno de los que guardaste. Cada uno sirve una sola vez.', most: 40 })}
        <button class="quiet">Usar código de respaldo</button>
      </form>
      <p><a href="${withReturn('/entrar', to)}">Volver a empezar</a></p>`,
  };
}
