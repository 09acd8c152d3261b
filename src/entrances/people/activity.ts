import { listKeys } from '../../features/keys/index.ts';
import { invitedAddresses, membersOf, mustBeAbleTo } from '../../features/people/index.ts';
import { actsBefore } from '../../features/trail/index.ts';
import { ACTIVITY_PATH, activityReply } from './activity-pages.ts';
import { inOrganization, namesOf } from './membership.ts';
import type { PageRequest, Reply } from './page-request.ts';

const MOST = 50;

/** What was done in the organisation, newest first, a page at a time. */
export async function activityPage(request: PageRequest): Promise<Reply> {
  return inOrganization(request, ACTIVITY_PATH, async (membership) => {
    mustBeAbleTo(membership.role, 'read_activity');
    return request.database.within(membership.organization.id).read(async (scope) => {
      const found = await actsBefore(scope, positionIn(request), MOST + 1);
      const acts = found.slice(0, MOST);
      const subjects = acts
        .filter(({ act }) => act.startsWith('invitation_'))
        .map(({ subject }) => subject);
      return activityReply(membership, {
        acts,
        names: namesOf(await membersOf(scope)),
        keys: new Map((await listKeys(scope)).map(({ id, name }) => [id, name])),
        invited: await invitedAddresses(scope, subjects),
        next: found.length > MOST ? (acts.at(-1)?.position ?? null) : null,
      });
    });
  });
}

function positionIn({ query }: PageRequest): number | null {
  const text = query.get('antes') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
