/**
 * Where a person proves their second factor again, inside a session, and goes on to what they
 * wanted to do.
 */
import {
  CONFIRM_PATH,
  ENROL_PATH,
  isConfirmed,
  passkeysOf,
  type SignedIn,
} from '../../features/people/index.ts';
import { fail } from '../../platform/failure.ts';
import { askForHelp, type Operator } from '../../platform/operator.ts';
import { signInAddress } from '../navigation.ts';
import { alarm, field, type Html, html, linkTo, SCRIPT_PATH } from '../page.ts';
import {
  orShowAgain,
  type PageRequest,
  type Reply,
  returnPath,
  typed,
  withReturn,
} from './page-request.ts';

const BAD_CODE = 'El código no es correcto, o ya se usó.';

/** @param back a path of this instance */
function toConfirm(back: string): Reply {
  return { to: withReturn(CONFIRM_PATH, back) };
}

/**
 * The way to the page that asks for the second factor; null where it was used just now or there is
 * none.
 */
export function confirmFirst({ clock }: PageRequest, person: SignedIn, back: string): Reply | null {
  return isConfirmed(person, clock.now()) ? null : toConfirm(back);
}

/**
 * The way to the page that asks for the second factor, where this session has not used it; null =
 * nothing is missing.
 * @param back the page to come back to
 * @throws Failure second_factor_required where the person has none
 */
export function confirmLack(request: PageRequest, person: SignedIn, back: string): Reply | null {
  const detour = confirmUnused(request, person, back);
  if (!detour) request.people.requireSecondFactor(person);
  return detour;
}

/**
 * The same for what also people without a second factor may do: null where they have none, too.
 * @param back the page to come back to
 */
export function confirmUnused(
  { people }: PageRequest,
  person: SignedIn,
  back: string,
): Reply | null {
  return people.factorLack(person) === 'not_used' ? toConfirm(back) : null;
}

export async function confirmPage(request: PageRequest): Promise<Reply> {
  const back = returnPath(request.query.get('volver'));
  const person = await request.people.signedIn(request.headers);
  if (!person) return { to: withReturn('/entrar', back) };
  return show(request, person, back, null);
}

export async function confirm(request: PageRequest): Promise<Reply> {
  const back = returnPath(request.form.get('volver'));
  const person = await request.people.signedIn(request.headers);
  if (!person) return { to: signInAddress(back, true) };
  return orShowAgain(
    async () => {
      const given = {
        code: typed(request, 'codigo').replace(/\D/g, ''),
        backupCode: typed(request, 'respaldo'),
      };
      const isUsed = await request.people.useSecondFactor(request.headers, given);
      if (!isUsed) throw fail('invalid_request', { message: BAD_CODE });
      return { to: back };
    },
    ({ message }) => show(request, person, back, message),
  );
}

async function show(
  request: PageRequest,
  person: SignedIn,
  back: string,
  wrong: string | null,
): Promise<Reply> {
  const passkeys = await request.database.read((handle) => passkeysOf(handle, person.id));
  return {
    title: 'Confirma que eres tú',
    script: SCRIPT_PATH,
    body: html`${alarm(wrong)}
      ${person.hasSecondFactor ? html`<p>Por seguridad, confirma con tu verificación en dos pasos para continuar.</p>` : nothingToUse(back)}
      ${passkeys.some(({ isSuspended }) => isSuspended) ? suspendedOnes(request.operator) : html``}
      ${passkeys.length > 0 ? withPasskey(back) : html``}
      ${person.asksForCode ? withCode(back) : html``}
      <p>${linkTo('account', 'Volver a mi cuenta')}</p>`,
  };
}

function suspendedOnes(operator: Operator): Html {
  return html`<p>Tus llaves de acceso quedaron suspendidas al elegir otra contraseña por correo. La que uses aquí vuelve a servir.
    Si ya no tienes ninguna, ${askForHelp(operator)}.</p>`;
}

function withPasskey(back: string): Html {
  return html`<div data-passkey="enter" data-next="${back}" hidden>
      <button type="button">Usar mi llave de acceso</button>
      <p role="alert" data-passkey-said></p>
    </div>
    <noscript><p>Para usar tu llave de acceso activa JavaScript.</p></noscript>`;
}

function withCode(back: string): Html {
  const hidden = html`<input type="hidden" name="volver" value="${back}">`;
  return html`<form method="post" action="${CONFIRM_PATH}">${hidden}
      ${field({ name: 'codigo', label: 'Código de tu aplicación', autocomplete: 'one-time-code', inputmode: 'numeric', hint: 'Seis dígitos; cambian cada 30 segundos.', most: 12 })}
      <button>Continuar</button>
    </form>
    <h2>¿No tienes tu aplicación a la mano?</h2>
    <form method="post" action="${CONFIRM_PATH}">${hidden}
      ${field({ name: 'respaldo', label: 'Código de respaldo', autocomplete: 'off', hint: 'Uno de los que guardaste. Cada uno sirve una sola vez.', most: 40 })}
      <button class="quiet">Usar código de respaldo</button>
    </form>`;
}

function nothingToUse(back: string): Html {
  return html`<p>Tu cuenta todavía no tiene verificación en dos pasos. Activa la <a href="${withReturn(ENROL_PATH, back)}">verificación en dos pasos</a>
    o agrega una <a href="/cuenta#llaves">llave de acceso</a>.</p>`;
}
