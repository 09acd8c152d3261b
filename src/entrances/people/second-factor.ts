/** Where a person turns on the second factor, and goes on to what needs it. */
import { ENROL_PATH, mayAddPasskey, type SignedIn } from '../../features/people/index.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { mustBeOwnPassword } from './account.ts';
import { confirmFirst, confirmUnused } from './confirm.ts';
import { deviceName } from './device-name.ts';
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
import { choicePage, keyPage, wrongCodePage } from './second-factor-page.ts';

const PASSKEY_ADDED = `${SITE_PAGES.account.path}?aviso=llave`;
const IS_ON = `${SITE_PAGES.account.path}?aviso=segundo-paso`;

export async function enrolPage(request: PageRequest): Promise<Reply> {
  const back = returnPath(request.query.get('volver'));
  const person = await request.people.signedIn(request.headers);
  if (!person) return { to: withReturn('/entrar', withReturn(ENROL_PATH, back)) };
  return person.asksForCode
    ? { to: `${SITE_PAGES.account.path}#segundo-paso` }
    : choose(request, person, back);
}

/** Shows the key and the backup codes, once; the first code proves that the app has the key. */
export async function enrol(request: PageRequest): Promise<Reply> {
  const back = returnPath(request.form.get('volver'));
  const person = await signedInPerson(request);
  const first = confirmFirst(request, person, withReturn(ENROL_PATH, back));
  if (first) return first;
  return orShowAgain(
    async () => {
      await mustBeOwnPassword(request);
      const password = typed(request, 'contrasena');
      const { body } = await ask(request, '/two-factor/enable', { password });
      return keyPage({ uri: body.totpURI, backupCodes: body.backupCodes }, person.email, back);
    },
    ({ message }) => choose(request, person, back, message),
  );
}

export async function confirmEnrolment(request: PageRequest): Promise<Reply> {
  const back = returnPath(request.form.get('volver'));
  const person = await signedInPerson(request);
  // The form may be older than a factor that was added meanwhile.
  const first = confirmUnused(request, person, withReturn(ENROL_PATH, back));
  if (first) return first;
  return orShowAgain(
    async () => {
      const code = typed(request, 'codigo').replace(/\D/g, '');
      const { cookies } = await ask(request, '/two-factor/verify-totp', { code });
      await request.people.mailSecurityChange(person, 'Se activó la verificación en dos pasos.');
      return { to: back === SITE_PAGES.home.path ? IS_ON : back, cookies };
    },
    ({ message }) => wrongCodePage(back, message),
  );
}

function choose(
  { clock, headers }: PageRequest,
  person: SignedIn,
  back: string,
  wrong: string | null = null,
): Reply {
  const next = back === SITE_PAGES.home.path ? PASSKEY_ADDED : back;
  const isRecent = mayAddPasskey(person, clock.now());
  const device = deviceName(headers['user-agent']);
  return choicePage({ email: person.email, back, next, device, mayAddPasskey: isRecent }, wrong);
}
