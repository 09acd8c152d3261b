import type { Mail, Postbox } from '../../platform/mail.ts';
import type { Queue } from '../../platform/queue.ts';
import { askLibrary } from './ask-library.ts';
import { type LibraryParts, openAuthLibrary } from './auth-library.ts';
import type { AuthAnswer, AuthCall } from './auth-requests.ts';
import { type GivenHeaders, isSecure, originsOf } from './auth-terms.ts';
import { type ChosenPassword, choosePassword } from './choose-password.ts';
import { confirmHere, enterConfirmed, type Registration, registrationOf } from './confirm-here.ts';
import { type FactorLack, factorLack, type Proofs, refuseLack } from './confirmation.ts';
import { deviceCookie, deviceIn, registrationCookie } from './cookies.ts';
import { passwordChangedMail, securityMail } from './mails.ts';
import { type HashPassword, hashPassword, type PasswordCost } from './passwords.ts';
import { isOwnPassword, type TypedFactor, useSecondFactor } from './prove.ts';
import { recoveryJob } from './recover.ts';
import { enqueueSealed } from './sealed-job.ts';
import { currentSession, type Person, type SessionUse, type SignedIn } from './sessions.ts';
import { openSignInAttempts, type SignInAttempts } from './sign-in-attempts.ts';
import { type SignUp, signUp } from './sign-up.ts';
import type { Unconfirmed } from './store-verifications.ts';
import * as verificationStore from './store-verifications.ts';

export interface People {
  readonly attempts: SignInAttempts;
  /** Whether the address of a request is one of ours. */
  isOwnOrigin(origin: string): boolean;
  /** The person of the session cookie; null = none, or idle for twelve hours. */
  signedIn(headers: GivenHeaders, use?: SessionUse): Promise<SignedIn | null>;
  /** The proof that this session lacks for keys and credentials; null = none. */
  factorLack(session: Proofs): FactorLack | null;
  /** @throws Failure second_factor_required, confirmation_required */
  requireSecondFactor(session: Proofs): void;
  /**
   * Records that this session used a second factor.
   * @returns false for a wrong or used code.
   * @throws Failure too_many_requests
   */
  useSecondFactor(headers: GivenHeaders, typed: TypedFactor): Promise<boolean>;
  ask(call: AuthCall): Promise<AuthAnswer>;
  readonly hashPassword: HashPassword;
  /** Whether it is the signed-in person's password. @throws Failure too_many_requests */
  isOwnPassword(headers: GivenHeaders, password: string): Promise<boolean>;
  /**
   * Requests an account. The answer, and the work before it, are the same for every address.
   * @returns the cookie of the browser that registered, as Set-Cookie
   * @throws Failure invalid_request
   */
  signUp(given: SignUp): Promise<string>;
  /** The registration that the link of a mail confirms; null = the link no longer works. */
  registrationOf(token: string, headers: GivenHeaders): Promise<Registration | null>;
  /**
   * Confirms an address in the browser that registered it, where the password was typed.
   * @returns null in another browser: nothing is confirmed
   * @throws Failure invalid_request
   */
  confirmHere(token: string, headers: GivenHeaders): Promise<Unconfirmed | null>;
  /** Opens a session after it. @returns its cookies as Set-Cookie */
  enterConfirmed(
    person: Unconfirmed,
    request: { headers: GivenHeaders; address: string },
  ): Promise<readonly string[]>;
  /**
   * Mails a link, if the address has an account and got few mails; the work and the answer are the
   * same if not.
   */
  recover(email: string): Promise<void>;
  /**
   * Chooses a password with a link by mail.
   * @throws Failure invalid_request, Overload: the link stays usable
   */
  choosePassword(chosen: ChosenPassword): Promise<void>;
  mailSecurityChange(person: { email: string; name: string }, what: string): Promise<void>;
  /**
   * Ends the links that were sent, and second steps that were begun, under the former password, and
   * notifies the person.
   */
  passwordWasChanged(person: Person): Promise<void>;
  /** The name and value of the cookie that marks a known browser, as Set-Cookie. */
  deviceCookie(email: string): string;
  deviceOf(headers: GivenHeaders): string | null;
  close(): Promise<void>;
}

interface PeopleParts extends Omit<LibraryParts, 'hashPassword'> {
  readonly queue: Queue;
  readonly postbox: Postbox;
  readonly secondFactor: 'required' | 'deferred';
  /** Of new passwords; undefined = the one that we require. */
  readonly passwordCost: PasswordCost | undefined;
}

/** People who sign in, and their sessions. */
export async function openPeople(parts: PeopleParts): Promise<People> {
  const { database, clock, keyring, log, postbox, publicUrl } = parts;
  const attempts = openSignInAttempts(database, clock, keyring, log);
  const hash: HashPassword = (password) => hashPassword(password, parts.passwordCost);
  const library = openAuthLibrary({ ...parts, hashPassword: hash });
  const signedIn = (headers: GivenHeaders, use: SessionUse = 'attended') =>
    currentSession(parts, library, headers, use);
  const context = { ...parts, hashPassword: hash, library, attempts, signedIn };
  const post = (mail: Mail) => database.write((handle) => postbox.put(handle, mail));
  return {
    attempts,
    isOwnOrigin: (origin) => originsOf(publicUrl()).includes(origin),
    signedIn,
    factorLack: (session) => factorLack(session, parts.secondFactor),
    requireSecondFactor: (session) => refuseLack(factorLack(session, parts.secondFactor)),
    useSecondFactor: (headers, typed) => useSecondFactor(context, headers, typed),
    ask: (call) => askLibrary(context, call),
    hashPassword: hash,
    isOwnPassword: (headers, password) => isOwnPassword(context, headers, password),
    async signUp(given) {
      return registrationCookie(await signUp(context, given), isSecure(publicUrl()));
    },
    registrationOf: (token, headers) => registrationOf(context, token, headers),
    confirmHere: (token, headers) => confirmHere(context, token, headers),
    enterConfirmed: (person, request) => enterConfirmed(context, person, request),
    async recover(email) {
      if (await attempts.mayMail(email))
        await database.write((handle) => enqueueSealed(handle, parts, recoveryJob, email));
    },
    choosePassword: (chosen) => choosePassword(context, chosen),
    mailSecurityChange: (person, what) => post(securityMail(publicUrl(), person, what)),
    passwordWasChanged: (person) =>
      database.write(async (handle) => {
        await verificationStore.endVerificationsOf(handle, person.id);
        await postbox.put(handle, passwordChangedMail(publicUrl(), person));
      }),
    deviceCookie: (email) => deviceCookie(attempts.deviceOf(email), isSecure(publicUrl())),
    deviceOf: (headers) => deviceIn(headers, isSecure(publicUrl())),
    close: library.close,
  };
}
