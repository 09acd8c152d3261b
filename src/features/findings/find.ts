import { findConnector } from '../../connectors/registry.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { fiscalProfile } from '../cfdi/index.ts';
import type { MarketplaceAccount } from './accounts.ts';
import { foundOfOrganization } from './organization-rules.ts';
import { ratesOf, vatOf } from './rates.ts';
import { readSoFar } from './read-so-far.ts';
import * as store from './store.ts';
import { foundOf } from './store-rules.ts';

/** Whole months, so that what is looked at changes with a month and not every day. */
const LOOK_BACK_MONTHS = 13;
/** What explains a finding is read, too: an order is delivered, or refunded, months later. */
const MONTHS_BEFORE = 3;

/**
 * Compares the ledger, payouts, orders and tax documents of an account, and the tax documents of the
 * marketplaces with the ledgers of all accounts. New findings are opened,
 * those that are not so any more are resolved; one with a note stays explained while its amount is
 * the same. A second run without new data changes nothing. Rules that need more than was read so far
 * open and resolve nothing.
 * @param timezone of the organisation, for days and months
 * @returns how many findings changed
 */
export async function findProblems(
  scope: WriteScope,
  account: MarketplaceAccount,
  timezone: string,
): Promise<number> {
  // Of two runs at once one would end what the other one has just found.
  await store.lock(scope);
  const now = scope.clock.now();
  const month = now.toZonedDateTimeISO(timezone).startOfDay().with({ day: 1 });
  const oldest = month.subtract({ months: LOOK_BACK_MONTHS });
  const times = { from: oldest.subtract({ months: MONTHS_BEFORE }).toInstant(), now, timezone };
  const { person, hasBorderVat, rfcs } = await fiscalProfile(scope);
  const rates =
    person && rfcs.length > 0
      ? { rates: ratesOf({ person, hasBorderVat }), vat: vatOf(hasBorderVat) }
      : null;
  const read = await readSoFar(scope, account);
  const facts = findConnector(account.marketplace)?.facts ?? {};
  const found = await foundOf(scope, { ...account, ...times }, read.account, facts, rates);
  const ofAll: Found = read.isAllRead ? await foundOfOrganization(scope, times) : new Map();
  // Of a sync run that began meanwhile a rule may have seen a part. It has its rules run at its end.
  const { ledgers } = await readSoFar(scope, account);
  const [own, all] = [ledgers.own === read.ledgers.own, ledgers.all === read.ledgers.all];
  return (
    (own ? await settle(scope, account, found, oldest.toInstant()) : 0) +
    (all ? await settle(scope, store.ORGANIZATION, ofAll, oldest.toInstant()) : 0)
  );
}

type Found = Awaited<ReturnType<typeof foundOf>>;

async function settle(
  scope: WriteScope,
  of: store.AccountOrOrganization,
  found: Found,
  oldest: Instant,
): Promise<number> {
  const changed = await store.record(scope, of, found, oldest);
  return changed + (await store.resolveOthers(scope, of, found, oldest));
}
