import { invitedAddresses, membersOf, mustBeAbleTo } from '../../features/people/index.ts';
import { actsBefore } from '../../features/trail/index.ts';
import { ACTIVITY_PATH, activityReply } from './activity-pages.ts';
import { inOrganization, namesOf } from './membership.ts';
import type { Reply, Visit } from './visit.ts';

const MOST = 50;

/** What was done in the organisation, newest first, a page at a time. */
export async function activityPage(visit: Visit): Promise<Reply> {
  return inOrganization(visit, ACTIVITY_PATH, async (membership) => {
    mustBeAbleTo(membership.role, 'read_activity');
    return visit.database.within(membership.organization.id).read(async (scope) => {
      const found = await actsBefore(scope, positionIn(visit), MOST + 1);
      const acts = found.slice(0, MOST);
      const subjects = acts
        .filter(({ act }) => act.startsWith('invitation_'))
        .map(({ subject }) => subject);
      return activityReply(membership, {
        acts,
        names: namesOf(await membersOf(scope)),
        invited: await invitedAddresses(scope, subjects),
        next: found.length > MOST ? (acts.at(-1)?.position ?? null) : null,
      });
    });
  });
}

function positionIn({ query }: Visit): number | null {
  const text = query.get('antes') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
