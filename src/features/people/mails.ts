/** Mails to people. Sentences in Spanish; links to pages of this instance only. */

import { KEY_PREFIX } from '../../platform/api-key.ts';
import { composeMail } from '../../platform/compose-mail.ts';
import type { Mail } from '../../platform/mail.ts';
import { isPlainName, quotedLines } from '../../platform/plain-name.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { dayInMexico, type Instant, momentInMexico } from '../../platform/time.ts';
import type { Deprecation } from '../deprecations/index.ts';
import { RECOVERY_MINUTES } from './lifetimes.ts';
import { ROLE_NAMES, type Role } from './roles.ts';

// No name in mails that anyone can have sent to any address: its text would be a stranger's.
const HELLO = 'Hola:';
const NOT_YOU = 'Si no fuiste tú, no hagas nada: sin este enlace no cambia nada.';

export function verificationMail(publicUrl: string, to: { email: string }, token: string): Mail {
  return composeMail(to.email, 'Confirma tu correo en Tianguis', [
    HELLO,
    'Para terminar tu registro confirma que este correo es tuyo. El enlace sirve durante 24 horas:',
    linkTo(publicUrl, '/verificar-correo', token),
    'Ábrelo en el navegador donde te registraste; en otro te pediremos la contraseña que elegiste.',
    'Si te registraste más de una vez, solo sirve el enlace más reciente. Si no te registraste tú, no hagas nada: nadie puede usar la cuenta sin este enlace.',
  ]);
}

export function resetMail(publicUrl: string, to: { email: string }, token: string): Mail {
  return composeMail(to.email, 'Elige una contraseña nueva en Tianguis', [
    HELLO,
    `Con este enlace eliges una contraseña nueva. Sirve una sola vez, durante ${RECOVERY_MINUTES} minutos:`,
    linkTo(publicUrl, '/restablecer', token),
    NOT_YOU,
  ]);
}

export function alreadyRegisteredMail(
  publicUrl: string,
  to: { email: string; name: string },
): Mail {
  return composeMail(to.email, 'Ya tienes una cuenta en Tianguis', [
    hello(to.name),
    'Alguien quiso registrarse con tu correo, que ya tiene una cuenta. Si fuiste tú, entra aquí:',
    `${publicUrl}/entrar`,
    'Si olvidaste tu contraseña, elige otra aquí:',
    `${publicUrl}/recuperar`,
    'Si no fuiste tú, no hagas nada: tu cuenta sigue igual.',
  ]);
}

/**
 * Names the inviter's address, which was confirmed. The reader is no member yet, so the
 * organisation's name, which a stranger may have typed, is only on the page behind the link.
 */
export function invitationMail(
  publicUrl: string,
  invitation: { email: string; role: Role; token: string; invitedBy: string },
): Mail {
  const { email, role, token, invitedBy } = invitation;
  return composeMail(email, 'Te invitaron a una organización en Tianguis', [
    `${invitedBy} te invitó a su organización con el rol ${ROLE_NAMES[role]}.`,
    'Acepta la invitación aquí. El enlace sirve una sola vez, durante 7 días:',
    linkTo(publicUrl, '/invitacion', token),
    'Si no la esperabas, no hagas nada.',
  ]);
}

/** A security notice, sent whatever caused the event. */
export function securityMail(
  publicUrl: string,
  to: { email: string; name: string },
  what: string,
): Mail {
  return composeMail(to.email, 'Cambió la seguridad de tu cuenta de Tianguis', [
    hello(to.name),
    what,
    'Si no fuiste tú, elige cuanto antes una contraseña nueva:',
    `${publicUrl}/recuperar`,
  ]);
}

/**
 * A new password locks out a thief of the former one, but not the accesses that the thief may have
 * granted meanwhile.
 */
export function passwordChangedMail(publicUrl: string, to: { email: string; name: string }): Mail {
  return newPasswordMail(publicUrl, to, [
    'Cambió la contraseña de tu cuenta.',
    'Se cerraron las otras sesiones. Siguen sirviendo los agentes conectados, tus llaves de acceso y las claves de API de tu organización. Si alguien más entró a tu cuenta, borra las llaves de acceso que no sean tuyas:',
    `${publicUrl}/cuenta#llaves`,
  ]);
}

/** The same for a password that was chosen with a link by mail, which suspends passkeys. */
export function passwordResetMail(
  publicUrl: string,
  to: { email: string; name: string },
  hasSuspendedPasskeys: boolean,
): Mail {
  const passkeys = [
    'Tus llaves de acceso quedaron suspendidas. Entra con la contraseña nueva, activa las que reconozcas usando una de ellas, y borra las demás:',
    `${publicUrl}/cuenta#llaves`,
  ];
  return newPasswordMail(publicUrl, to, [
    'Se eligió una contraseña nueva para tu cuenta.',
    'Se cerraron todas las sesiones. Siguen sirviendo los agentes conectados y las claves de API de tu organización.',
    ...(hasSuspendedPasskeys ? passkeys : []),
  ]);
}

/** Of a first password: there is no former one, and no passkey was suspended. */
export function firstPasswordMail(publicUrl: string, to: { email: string; name: string }): Mail {
  return composeMail(to.email, 'Tu cuenta de Tianguis ya tiene contraseña', [
    hello(to.name),
    'Ya tienes contraseña en Tianguis. Entra aquí:',
    `${publicUrl}/entrar`,
    'Si no fuiste tú, elige otra cuanto antes:',
    `${publicUrl}/recuperar`,
  ]);
}

/** The operator removed what the person said was lost. */
export function factorsRemovedMail(publicUrl: string, to: { email: string; name: string }): Mail {
  return securityMail(
    publicUrl,
    to,
    'El equipo de Tianguis quitó la verificación en dos pasos y las llaves de acceso de tu cuenta, y cerró todas tus sesiones. Entra con tu contraseña y configura otra vez tu segundo factor.',
  );
}

/** A key that ends stops the programs that read with it. */
export function keyEndMail(
  publicUrl: string,
  to: { email: string; name: string },
  key: {
    name: string;
    lastFour: string;
    expiresAt: Instant;
    organizationId: string;
    organizationName: string;
  },
): Mail {
  const { name, lastFour, expiresAt, organizationId, organizationName } = key;
  return composeMail(to.email, `Una clave de API vence el ${dayInMexico(expiresAt)}`, [
    hello(to.name),
    `La clave de API «${name}» (${KEY_PREFIX}…${lastFour}) ${ofOrganization(organizationName)} vence el ${momentInMexico(expiresAt)}, hora de la Ciudad de México. Desde entonces no podrá leer nada quien la use.`,
    'Si todavía hace falta, regenérala antes y cámbiala donde se use:',
    `${publicUrl}/cuenta/claves?organizacion=${organizationId}`,
    'Si ya no hace falta, no hagas nada.',
  ]);
}

/** The end of a version of the API is announced. */
export function deprecationMail(
  publicUrl: string,
  to: { email: string; name: string },
  organizationName: string,
  { version, sunsetAt, successor }: Deprecation,
): Mail {
  return composeMail(
    to.email,
    `La versión ${version} de la API se retira el ${dayInMexico(sunsetAt)}`,
    [
      hello(to.name),
      `La versión ${version} de la API de Tianguis se retira el ${dayInMexico(sunsetAt)}. Te avisamos porque en los últimos 30 días se usaron claves de API ${ofOrganization(organizationName)}.`,
      `Desde ese día, las solicitudes a /${version} ya no traerán datos. Pide a quien mantiene tus aplicaciones que las cambie antes a la versión nueva:`,
      successor ?? `${publicUrl}${SITE_PAGES.docs.path}`,
    ],
  );
}

/** Why a customer's endpoint did not get its events. */
export interface EndpointTrouble {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly kind: keyof typeof REMEDIES;
  /** A sentence in Spanish. */
  readonly message: string;
}

/** Before the link to the endpoint. */
const REMEDIES = {
  disabled:
    'Mientras está desactivado no recibe nada. Lo que ocurre no se le entrega después: solo queda en el registro de eventos, 30 días. Cuando tu sistema esté listo, actívalo aquí:',
  exhausted:
    'Revisa que tu sistema responda con un estado 2xx en menos de 15 segundos. El evento se conserva 30 días, y aquí lo envías de nuevo:',
  unreadable: 'Sus eventos esperan. Rota el secreto aquí y guarda el nuevo en tu sistema:',
} as const;

export function endpointMail(
  publicUrl: string,
  to: { email: string; name: string },
  { organizationId, endpointId, kind, message }: EndpointTrouble,
): Mail {
  return composeMail(to.email, 'Tus webhooks de Tianguis necesitan atención', [
    hello(to.name),
    message,
    REMEDIES[kind],
    `${publicUrl}${SITE_PAGES.webhooks.path}/endpoint?organizacion=${organizationId}&endpoint=${endpointId}`,
  ]);
}

const WORDS_OF_PERSON =
  'Mensaje que escribió esa persona. No lo escribió Tianguis: no abras direcciones que vengan en él.';
const END_OF_WORDS = 'Aquí termina su mensaje.';

/** To the operator, who changes the plan from the terminal and answers the person. */
export function planRequestMail(
  to: string,
  wish: {
    organization: { id: string; name: string };
    /** Names of plans. */
    present: string;
    wanted: string;
    note: string | null;
    person: { name: string; email: string };
  },
): Mail {
  const { organization, present, wanted, note, person } = wish;
  const named = isPlainName(organization.name) ? `«${organization.name}» ` : '';
  const who = isPlainName(person.name) ? `${person.name}, ` : '';
  const words = quotedLines(note ?? '');
  return composeMail(to, `Piden cambiar al plan ${wanted}`, [
    `La organización ${named}(${organization.id}) tiene el plan ${present} y pide cambiar a ${wanted}.`,
    `Lo pide ${who}${person.email}. Respóndele a ese correo.`,
    ...(words.length === 0 ? [] : [WORDS_OF_PERSON, ...words, END_OF_WORDS]),
  ]);
}

export function linkTo(publicUrl: string, path: string, token: string): string {
  return `${publicUrl}${path}?token=${encodeURIComponent(token)}`;
}

function newPasswordMail(
  publicUrl: string,
  to: { email: string; name: string },
  facts: readonly string[],
): Mail {
  return composeMail(to.email, 'Cambió la contraseña de tu cuenta de Tianguis', [
    hello(to.name),
    ...facts,
    'Revisa qué agentes leen en tu nombre y desconecta los que no conozcas:',
    `${publicUrl}/cuenta/agentes`,
    'Si no fuiste tú quien cambió la contraseña, elige otra cuanto antes:',
    `${publicUrl}/recuperar`,
  ]);
}

/** Names from before the rule for names are left out. */
export function hello(name: string): string {
  return isPlainName(name) ? `Hola, ${name}:` : HELLO;
}

export function ofOrganization(name: string): string {
  return isPlainName(name) ? `de «${name}»` : 'de tu organización';
}
