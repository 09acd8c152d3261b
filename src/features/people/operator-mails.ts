/** Mails about what an operator did with an account. */

import { composeMail } from '../../platform/compose-mail.ts';
import type { Mail } from '../../platform/mail.ts';
import { hello } from './mails.ts';

/** To the former address: its owner may not have asked for it. @param help of the operator */
export function accountMovedMail(to: { email: string; name: string }, help: string): Mail {
  return composeMail(to.email, 'Cambió el correo de tu cuenta de Tianguis', [
    hello(to.name),
    'El equipo de Tianguis cambió el correo de tu cuenta, como pidió su titular. Con este correo ya no se puede entrar, y se cerraron todas las sesiones.',
    `Si no lo pediste tú, ${help}.`,
  ]);
}

/** To the new address. */
export function accountReceivedMail(publicUrl: string, to: { email: string; name: string }): Mail {
  return composeMail(to.email, 'Tu cuenta de Tianguis ya tiene este correo', [
    hello(to.name),
    'El equipo de Tianguis cambió el correo de tu cuenta a este. Entra con él y con tu contraseña de siempre:',
    `${publicUrl}/entrar`,
    'Si olvidaste tu contraseña, elige otra aquí:',
    `${publicUrl}/recuperar`,
  ]);
}

/** To the address of an account that is gone. @param help of the operator */
export function accountErasedMail(to: { email: string; name: string }, help: string): Mail {
  return composeMail(to.email, 'Se eliminó tu cuenta de Tianguis', [
    hello(to.name),
    'El equipo de Tianguis eliminó tu cuenta, como pidió su titular: tus datos, tus sesiones y tus accesos a organizaciones. No se puede deshacer.',
    `Si no lo pediste tú, ${help}.`,
  ]);
}
