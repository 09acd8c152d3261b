export { askForPlan, WISH_OUTCOMES } from './ask-for-plan.ts';
export type { AuthAnswer, AuthCall } from './auth-requests.ts';
/** People, and their rights in each organisation. */
export { AUTH_PATH, hashBackupCode } from './auth-terms.ts';
export { changePerson, personWith } from './change-person.ts';
export { confirmAddress, confirmAnew } from './confirm-address.ts';
export type { Registration } from './confirm-here.ts';
export {
  CONFIRM_PATH,
  ENROL_PATH,
  FACTOR_LACKS,
  type FactorLack,
  isConfirmed,
  mayAddPasskey,
  type Proofs,
  refuseLack,
} from './confirmation.ts';
export { normalEmail } from './email.ts';
export { erasePerson, personOf, refuseLastOwner } from './erase-person.ts';
export { noteEvent, type PersonEvent } from './events.ts';
export {
  acceptInvitation,
  findInvitation,
  type Invitation,
  invitationSentWith,
  invite,
  inviteAgain,
  invitedAddresses,
  joinedBy,
  type OpenInvitation,
  openInvitations,
  revokeInvitation,
} from './invitations.ts';
export { type Recovery, recoveryOf } from './links.ts';
export { mailAlerts, setAlertMails, wantsAlertMails } from './mail-alerts.ts';
export { mailDeprecations } from './mail-deprecations.ts';
export { mailEndingKeys } from './mail-ending-keys.ts';
export { mailTroubledEndpoint } from './mail-endpoint-trouble.ts';
export { invitationMail, linkTo } from './mails.ts';
export { makeUser } from './make-user.ts';
export {
  addMember,
  authorize,
  changeRole,
  join,
  type Member,
  type Membership,
  membershipsOf,
  membersOf,
  removeMember,
  roleOf,
} from './members.ts';
export { accountErasedMail } from './operator-mails.ts';
export { type Passkey, passkeysOf, removePasskey, restorePasskey } from './passkeys.ts';
export { type PasswordCost, passwordFault, SHORTEST_PASSWORD } from './passwords.ts';
export { openPeople, type People } from './people.ts';
export { recoveryJob } from './recover.ts';
export { RETENTIONS } from './retentions.ts';
export {
  ACTIONS,
  type Action,
  isRole,
  may,
  mustBeAbleTo,
  ROLE_NAMES,
  ROLE_SENTENCES,
  ROLES,
  type Role,
  rolesToGive,
  rolesWith,
  scopesFor,
} from './roles.ts';
export { removeFactors, resealSecondFactors } from './second-factors.ts';
export { endSessionOf, type OwnSession, type SignedIn, sessionsOf } from './sessions.ts';
export { isRegistered, refuseWeak, signUpInvited, signUpJob } from './sign-up.ts';
