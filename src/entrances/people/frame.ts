import { SITE_PAGES } from '../../platform/site-pages.ts';
import { frameOf, rememberedOrganization } from '../navigation.ts';
import type { Page } from '../page.ts';
import { frameHtml } from '../page-frame.ts';
import { type PageRequest, sessionUse } from './page-request.ts';

/** The frame around each page of the account, for the signed-in person. */
export async function frameAround(
  { people, database, clock, headers, query, form }: PageRequest,
  path: string,
): Promise<Pick<Page, 'frame'>> {
  const person = path.startsWith(SITE_PAGES.account.path)
    ? await people.signedIn(headers, sessionUse(headers))
    : null;
  if (!person) return {};
  const preferred = [
    form.get('organizacion') ?? query.get('organizacion'),
    rememberedOrganization(headers.cookie),
  ];
  const frame = await database.read((handle) => frameOf(handle, person, preferred));
  return { frame: frameHtml(frame, path, clock.now()) };
}
