import {
  confirmAddress,
  confirmAnew,
  type Registration,
  SHORTEST_PASSWORD,
} from '../../features/people/index.ts';
import { PLANS } from '../../features/plans/index.ts';
import type { Operator } from '../../platform/operator.ts';
import { alarm, field, type Html, html, linkTo, privacyLink, usernameOf } from '../page.ts';
import { orShowAgain, type PageRequest, type Reply, returnPath, typed } from './page-request.ts';
import { enter, orSignIn } from './sign-in.ts';

const CONFIRM_TITLE = 'Confirma tu correo';
const CHOSEN_BEFORE = { name: '', organization: '' };

export async function signUpPage({ operator }: PageRequest): Promise<Reply> {
  return form(operator, { name: '', email: '', organization: '' }, null);
}

export async function signUp(request: PageRequest): Promise<Reply> {
  const given = {
    name: typed(request, 'nombre'),
    email: typed(request, 'correo'),
    organization: typed(request, 'organizacion'),
  };
  if (typed(request, 'corregir') !== '') return form(request.operator, given, null);
  return orShowAgain(
    async () => {
      const { people, address } = request;
      await people.attempts.count('sign-up', address);
      const password = typed(request, 'contrasena');
      const cookie = await people.signUp({ ...given, password, address });
      return {
        title: 'Revisa tu correo',
        cookies: [cookie],
        body: html`<p>Te enviamos un enlace a <strong>${given.email.trim()}</strong>. Ábrelo para terminar tu registro.</p>
          <p>Si no llega en unos minutos, busca en el correo no deseado o <a href="/recuperar">pide otro enlace</a>.</p>
          ${correction(given)}
          <p>${linkTo('signIn')}</p>`,
      };
    },
    ({ message }) => form(request.operator, given, message),
  );
}

/** The page waits for a press, because mail scanners open links, too. */
export async function verifyEmailPage(request: PageRequest): Promise<Reply> {
  const token = request.query.get('token') ?? '';
  if (token === '')
    return { title: CONFIRM_TITLE, body: html`<p>Abre el enlace que te enviamos por correo.</p>` };
  return confirmForm(request, token, CHOSEN_BEFORE);
}

/**
 * The browser that registered confirms by a press. Another browser confirms by the registration's
 * password, or by a new name, organisation and password. In each case the password was typed, so a
 * session is opened.
 */
export async function verifyEmail(request: PageRequest): Promise<Reply> {
  const { database, clock } = request;
  const { people } = request;
  const { attempts, hashPassword } = people;
  const [token, newOne] = [typed(request, 'token'), typed(request, 'nueva')];
  const given = {
    name: typed(request, 'nombre'),
    organization: typed(request, 'organizacion'),
    password: newOne,
  };
  return orShowAgain(
    async () => {
      const parts = { database, clock, attempts, hashPassword };
      if (newOne !== '') {
        const email = await confirmAnew(parts, token, given);
        return enterFirst(() => enterBy(request, email, newOne));
      }
      const password = typed(request, 'contrasena');
      const here = password === '' ? await people.confirmHere(token, request.headers) : null;
      if (here)
        return enterFirst(async () => {
          const cookies = await people.enterConfirmed(here, request);
          return { to: returnPath(null), cookies: [...cookies, people.deviceCookie(here.email)] };
        });
      const email = await confirmAddress(parts, { token, password });
      return enterFirst(() => enterBy(request, email, password));
    },
    ({ message, details }) =>
      details?.link ? linkEnded() : confirmForm(request, token, given, message),
  );
}

/** The address is confirmed whatever happens. */
function enterFirst(open: () => Promise<Reply>): Promise<Reply> {
  return orSignIn(open, 'confirmado');
}

function enterBy(request: PageRequest, email: string, password: string): Promise<Reply> {
  return enter(request, { email, password }, returnPath(null));
}

/** Where people give their data for the first time. */
export function privacyHint(operator: Operator): Html {
  return html`<p class="hint">Tus datos se tratan como dice el ${privacyLink(operator, 'aviso de privacidad')}.</p>`;
}

/** The field for a new password, as everywhere. */
export function newPassword(
  name = 'contrasena',
  label = 'Contraseña',
  wrong?: string | undefined,
): Html {
  return field({
    name,
    label,
    wrong,
    type: 'password',
    autocomplete: 'new-password',
    hint: `Mínimo ${SHORTEST_PASSWORD} caracteres. Una frase de varias palabras funciona bien.`,
    least: SHORTEST_PASSWORD,
    most: 512,
  });
}

interface Typed {
  readonly name: string;
  readonly email: string;
  readonly organization: string;
}

/** Leads to the form again, with what was typed but the password. */
function correction({ name, email, organization }: Typed): Html {
  const hidden = (field: string, value: string) =>
    html`<input type="hidden" name="${field}" value="${value}">`;
  return html`<form method="post" action="/registro">
    ${hidden('corregir', 'si')}${hidden('nombre', name)}${hidden('organizacion', organization)}${hidden('correo', email)}
    <p>¿No es tu correo?</p><button class="quiet">Cambiar el correo</button>
  </form>`;
}

function form(operator: Operator, given: Typed, wrong: string | null): Reply {
  return {
    title: 'Crea tu cuenta',
    body: html`${alarm(wrong)}
      <p>Prueba Tianguis durante ${PLANS.demo.trialDays} días, sin tarjeta.</p>
      <form method="post" action="/registro">
        ${field({ name: 'nombre', label: 'Tu nombre', autocomplete: 'name', value: given.name, most: 80 })}
        ${field({ name: 'organizacion', label: 'Tu tienda u organización', autocomplete: 'organization', value: given.organization, most: 120, isOptional: true, hint: 'Puedes dejarlo vacío.' })}
        ${field({ name: 'correo', label: 'Correo', type: 'email', autocomplete: 'email', value: given.email })}
        ${newPassword()}
        ${privacyHint(operator)}
        <button>Crear cuenta</button>
      </form>
      <p>¿Ya tienes cuenta? <a href="/entrar">Entra</a></p>`,
  };
}

async function confirmForm(
  { people, headers }: PageRequest,
  token: string,
  { name, organization }: { name: string; organization: string },
  wrong: string | null = null,
): Promise<Reply> {
  const registration = await people.registrationOf(token, headers);
  if (!registration) return linkEnded();
  const hidden = html`<input type="hidden" name="token" value="${token}">`;
  const open = wrong === null ? html`` : html` open`;
  return {
    title: CONFIRM_TITLE,
    body: html`${alarm(wrong)}
      ${registration.isOwn ? pressToConfirm(hidden, registration) : typeToConfirm(hidden, registration)}
      <details${open}><summary>${registration.isOwn ? 'Quiero cambiar los datos de mi registro' : 'No recuerdo esa contraseña, o no me registré yo'}</summary>
        <p>Elige aquí tus datos. Los del registro anterior se borran.</p>
        <form method="post" action="/verificar-correo">${hidden}
          ${field({ name: 'nombre', label: 'Tu nombre', autocomplete: 'name', value: name, most: 80 })}
          ${field({ name: 'organizacion', label: 'Tu tienda u organización', autocomplete: 'organization', value: organization, most: 120, isOptional: true, hint: 'Puedes dejarlo vacío.' })}
          ${newPassword('nueva', 'Contraseña nueva')}
          <button>Confirmar con estos datos</button>
        </form>
      </details>`,
  };
}

function pressToConfirm(hidden: Html, { email }: Registration): Html {
  return html`<p>Confirma que <strong>${email}</strong> es tu correo.</p>
    <form method="post" action="/verificar-correo">${hidden}
      <button>Confirmar mi correo</button>
    </form>`;
}

function typeToConfirm(hidden: Html, { email }: Registration): Html {
  return html`<p>Escribe la contraseña que elegiste al registrarte.</p>
    <form method="post" action="/verificar-correo">${hidden}${usernameOf(email)}
      ${field({ name: 'contrasena', label: 'Contraseña', type: 'password', autocomplete: 'current-password', most: 512 })}
      <button>Confirmar mi correo</button>
    </form>`;
}

/** Of a link by mail: to confirm an address, or to choose a password. */
export function linkEnded(): Reply {
  return {
    title: 'El enlace ya no sirve',
    status: 400,
    body: html`<p role="alert">Venció, ya se usó o hay uno más reciente en tu correo.</p>
      <p><a href="/recuperar">Pedir otro enlace</a></p>
      <p>${linkTo('signIn')}</p>`,
  };
}
