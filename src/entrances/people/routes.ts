import { PRIVACY_PATH } from '../../platform/operator.ts';
import {
  accountPage,
  addPasskeyPage,
  askToAddPasskey,
  changePassword,
  endOneSession,
  endPasskey,
  endSecondFactor,
  endSessionPage,
  newBackupCodes,
  restoreOwnPasskey,
} from './account.ts';
import { activityPage } from './activity.ts';
import { choosePassword, choosePasswordPage } from './choose-password.ts';
import { confirm, confirmPage } from './confirm.ts';
import { exportFile, exportsPage, makeExport, removeExport } from './exports.ts';
import { EXPORT_PATHS } from './exports-pages.ts';
import { invitationPage, takeInvitation } from './invitation.ts';
import { endKey, keysPage, makeKey, renewalPage, renewKey, revocationPage } from './keys.ts';
import {
  giveRole,
  membersPage,
  removalPage,
  removePerson,
  sendInvitation,
  sendInvitationAgain,
  takeBackInvitation,
} from './members.ts';
import type { Handler } from './page-request.ts';
import { privacyPage } from './privacy.ts';
import { recover, recoverPage } from './recovery.ts';
import { confirmEnrolment, enrol, enrolPage } from './second-factor.ts';
import { END_SESSION } from './session-parts.ts';
import { sheetPage } from './sheet.ts';
import {
  secondStep,
  secondStepPage,
  signIn,
  signInPage,
  signOut,
  signOutEverywhere,
} from './sign-in.ts';
import { signUp, signUpPage, verifyEmail, verifyEmailPage } from './sign-up.ts';

export interface Route {
  readonly GET?: Handler;
  readonly POST?: Handler;
}

import { WEBHOOK_PATHS } from './webhooks/access.ts';
import {
  removalPage as endpointRemovalPage,
  remove,
  resend,
  rotate,
  rotationPage,
  setState,
  testOne,
} from './webhooks/endpoint-acts.ts';
import {
  changeOne,
  changePage,
  endpointPage,
  endpointsPage,
  makeEndpoint,
  newEndpointPage,
} from './webhooks/endpoints.ts';
import { eventPage, eventsPage } from './webhooks/events.ts';
import { signaturePage, typesPage } from './webhooks/guides.ts';

/** The pages and forms of people, by their path. */
export const ROUTES: Readonly<Record<string, Route>> = {
  '/entrar': { GET: signInPage, POST: signIn },
  '/entrar/segundo-paso': { GET: secondStepPage, POST: secondStep },
  '/registro': { GET: signUpPage, POST: signUp },
  '/verificar-correo': { GET: verifyEmailPage, POST: verifyEmail },
  '/recuperar': { GET: recoverPage, POST: recover },
  '/restablecer': { GET: choosePasswordPage, POST: choosePassword },
  '/invitacion': { GET: invitationPage, POST: takeInvitation },
  '/cuenta': { GET: accountPage },
  '/cuenta/segundo-paso': { GET: enrolPage, POST: enrol },
  '/cuenta/segundo-paso/confirmar': { POST: confirmEnrolment },
  '/cuenta/segundo-paso/quitar': { POST: endSecondFactor },
  '/cuenta/respaldo': { POST: newBackupCodes },
  '/cuenta/confirmar': { GET: confirmPage, POST: confirm },
  '/cuenta/llaves/agregar': { GET: addPasskeyPage, POST: askToAddPasskey },
  '/cuenta/llaves/activar': { POST: restoreOwnPasskey },
  '/cuenta/llaves/quitar': { POST: endPasskey },
  [END_SESSION]: { GET: endSessionPage, POST: endOneSession },
  '/cuenta/contrasena': { POST: changePassword },
  '/cuenta/miembros': { GET: membersPage },
  '/cuenta/miembros/rol': { POST: giveRole },
  '/cuenta/miembros/quitar': { GET: removalPage, POST: removePerson },
  '/cuenta/miembros/invitar': { POST: sendInvitation },
  '/cuenta/invitaciones/reenviar': { POST: sendInvitationAgain },
  '/cuenta/invitaciones/retirar': { POST: takeBackInvitation },
  '/cuenta/actividad': { GET: activityPage },
  '/cuenta/claves': { GET: keysPage, POST: makeKey },
  '/cuenta/claves/regenerar': { GET: renewalPage, POST: renewKey },
  '/cuenta/claves/revocar': { GET: revocationPage, POST: endKey },
  [WEBHOOK_PATHS.list]: { GET: endpointsPage },
  [WEBHOOK_PATHS.new]: { GET: newEndpointPage, POST: makeEndpoint },
  [WEBHOOK_PATHS.one]: { GET: endpointPage },
  [WEBHOOK_PATHS.change]: { GET: changePage, POST: changeOne },
  [WEBHOOK_PATHS.state]: { POST: setState },
  [WEBHOOK_PATHS.test]: { POST: testOne },
  [WEBHOOK_PATHS.resend]: { POST: resend },
  [WEBHOOK_PATHS.rotate]: { GET: rotationPage, POST: rotate },
  [WEBHOOK_PATHS.remove]: { GET: endpointRemovalPage, POST: remove },
  [WEBHOOK_PATHS.events]: { GET: eventsPage },
  [WEBHOOK_PATHS.event]: { GET: eventPage },
  [WEBHOOK_PATHS.types]: { GET: typesPage },
  [WEBHOOK_PATHS.signature]: { GET: signaturePage },
  [EXPORT_PATHS.list]: { GET: exportsPage, POST: makeExport },
  [EXPORT_PATHS.file]: { GET: exportFile },
  [EXPORT_PATHS.remove]: { POST: removeExport },
  '/cuenta/hoja': { GET: sheetPage },
  [PRIVACY_PATH]: { GET: privacyPage },
  '/cuenta/salir': { POST: signOut },
  '/cuenta/salir-de-todo': { POST: signOutEverywhere },
};
