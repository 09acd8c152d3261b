import type { Marketplace } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { fiscalProfile } from '../cfdi/index.ts';
import { foundOfOrganization } from './organization-rules.ts';
import { ratesOf, vatOf } from './rates.ts';
import * as store from './store.ts';
import { foundOf } from './store-rules.ts';

/** Older money is not compared any more. */
const LOOK_BACK_DAYS = 400;

/**
 * Compares the ledger, payouts, orders and tax documents of an account, and the tax documents of the
 * marketplaces with the ledgers of all accounts. New findings are opened,
 * those that are not so any more are resolved; one with a note stays explained while its amount is
 * the same. A second run without new data changes nothing.
 * @param timezone of the organisation, for days and months
 * @returns how many findings changed
 */
export async function findProblems(
  scope: WriteScope,
  { marketplace, accountId }: { readonly marketplace: Marketplace; readonly accountId: string },
  timezone: string,
): Promise<number> {
  const now = scope.clock.now();
  const from = now.subtract({ hours: 24 * LOOK_BACK_DAYS });
  const { person, hasBorderVat, rfcs } = await fiscalProfile(scope);
  const rates =
    person && rfcs.length > 0
      ? { rates: ratesOf({ person, hasBorderVat }), vat: vatOf(hasBorderVat) }
      : null;
  const account = { marketplace, accountId };
  const facts = findConnector(marketplace)?.facts ?? {};
  const found = await foundOf(scope, { ...account, from, now, timezone }, facts, rates);
  const ofAll = await foundOfOrganization(scope, { from, now, timezone });
  return (
    (await settle(scope, account, found, from)) +
    (await settle(scope, store.ORGANIZATION, ofAll, from))
  );
}

async function settle(
  scope: WriteScope,
  place: store.Place,
  found: Awaited<ReturnType<typeof foundOf>>,
  from: Instant,
): Promise<number> {
  const changed = await store.record(scope, place, found);
  return changed + (await store.resolveOthers(scope, place, found, from));
}
