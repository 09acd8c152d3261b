import { connectionById } from '../../features/connections/index.ts';
import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { findInAccount, findInOtherAccounts } from '../sync/find-in-account.ts';
import { dueJobPayload } from './due-job.ts';

/**
 * Looks for findings of a marketplace's account, also of one that tells no payouts: months end, and
 * orders and tax documents change. Where the organisation is the subject: of its accounts that are
 * not connected.
 */
export const findingsJob = defineJob({
  name: 'findings',
  policy: 'short',
  retries: 2,
  concurrency: 1,
  isResumable: true,
  payload: dueJobPayload,
  async run({ database }: ExchangeParts, { organizationId, subject }) {
    if (subject === organizationId) {
      await findInOtherAccounts(database, organizationId);
      return null;
    }
    const organization = database.within(organizationId);
    const connection = await organization.read((scope) => connectionById(scope, subject));
    if (connection) await findInAccount(database, connection);
    return null;
  },
});
