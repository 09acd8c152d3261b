import { randomBytes } from 'node:crypto';
import type { App } from '../app/app.ts';
import { contextOf, sendFailure, sendRedirect } from '../entrances/http.ts';
import type { Surface } from '../entrances/surface.ts';
import type { Organization } from '../features/organizations/index.ts';
import type { AuthAnswer, People } from '../features/people/index.ts';
import { fail } from '../platform/failure.ts';
import { sha256 } from '../platform/ids.ts';
import { SITE_PAGES } from '../platform/site-pages.ts';
import { makeOwner, type Owner } from './owner.ts';

const PATH = '/demo/entrar';

/** A link that signs in as the demo's user, valid while the demo runs. */
interface SignInLink {
  surface(people: People): Surface;
  /** Makes the demo's user where there is none. @returns the user, and the link */
  open(
    app: App,
    organization: Organization,
    dataDir: string,
  ): Promise<Owner & { readonly link: string }>;
}

export function makeSignInLink(): SignInLink {
  const key = randomBytes(24).toString('base64url');
  let owner: Owner | null = null;
  let origin = '';
  return {
    surface: (people) => ({
      prefix: PATH,
      handle(request, response) {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://tianguis');
        const given = searchParams.get('clave') ?? '';
        const isOpen = pathname === PATH && sha256(given) === sha256(key);
        if (request.method !== 'GET' || !isOpen || !owner)
          return sendFailure(response, fail('not_found'), contextOf(request));
        const { address } = contextOf(request);
        const headers = { ...request.headers, origin };
        people
          .ask({ path: '/sign-in/email', method: 'POST', headers, address, body: owner })
          .then((answer) => {
            const isIn = isDone(answer) && !answer.body?.twoFactorRedirect;
            // With another password than the first one, or a second factor, they sign in by hand.
            if (isIn) response.setHeader('set-cookie', [...answer.cookies]);
            sendRedirect(response, isIn ? SITE_PAGES.home.path : SITE_PAGES.signIn.path);
          })
          .catch((cause) =>
            sendFailure(response, fail('internal_error', { cause }), contextOf(request)),
          );
      },
    }),
    async open(app, organization, dataDir) {
      const { publicUrl } = app.exchange;
      origin = new URL(publicUrl).origin;
      owner = await makeOwner(app, organization, dataDir);
      return { ...owner, link: `${publicUrl}${PATH}?clave=${key}` };
    },
  };
}

function isDone({ status }: AuthAnswer): boolean {
  return status < 400;
}
