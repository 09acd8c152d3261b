import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { z } from 'zod';

/**
 * Opens a session for a person whose proof was checked before (confirm-address.ts). The library
 * opens sessions by its own proofs alone; this endpoint has no route, so no request reaches it.
 */
export const confirmedSessions = {
  id: 'confirmed-sessions',
  endpoints: {
    openConfirmedSession: createAuthEndpoint.serverOnly(
      { method: 'POST', body: z.object({ personId: z.string() }) },
      async (context) => {
        const { internalAdapter } = context.context;
        const user = await internalAdapter.findUserById(context.body.personId);
        if (!user) throw new Error('a confirmed person is gone');
        const session = await internalAdapter.createSession(user.id);
        await setSessionCookie(context, { session, user });
        return { sessionId: session.id };
      },
    ),
  },
};
