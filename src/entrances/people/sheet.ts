import { readFile } from 'node:fs/promises';
import { effectiveTerms } from '../../features/organizations/index.ts';
import { may } from '../../features/people/index.ts';
import { inOrganization } from './membership.ts';
import type { PageRequest, Reply } from './page-request.ts';
import { SHEET_PATH, sheetReply } from './sheet-pages.ts';

/** The placeholder of the installation's address in the templates. */
const PLACEHOLDER = 'https://tianguis.example';
const TEMPLATES = new URL('../../../sheets/', import.meta.url);

/** The templates for spreadsheets, with the address of this installation. */
export async function sheetPage(request: PageRequest): Promise<Reply> {
  return inOrganization(request, SHEET_PATH, async (membership) =>
    sheetReply(membership, {
      script: await templateFor('tianguis.gs', request.publicUrl()),
      query: await templateFor('tianguis.m', request.publicUrl()),
      makesKeys: may(membership.role, 'manage_keys'),
      plan: effectiveTerms(membership.organization),
    }),
  );
}

async function templateFor(name: string, url: string): Promise<string> {
  const text = await readFile(new URL(name, TEMPLATES), 'utf8');
  return text.replace(PLACEHOLDER, () => url);
}
