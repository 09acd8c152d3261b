import type { StreamName } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { connectionOverviews } from '../connections/index.ts';
import type { MarketplaceAccount } from './accounts.ts';

type Overview = Awaited<ReturnType<typeof connectionOverviews>>[number];
type StreamOverview = Overview['streams'][number];

/** What of an account was read whole: a rule finds what is missing, and the rest may still come. */
export interface ReadSoFar {
  readonly orders: boolean;
  readonly ledger: boolean;
}

interface Reading {
  readonly account: ReadSoFar;
  /** No account is read in part. */
  readonly isAllRead: boolean;
  /** How far the ledgers are; each page and each sync run makes them other ones. */
  readonly ledgers: { readonly own: string; readonly all: string };
}

/** An account without a connection, as of imported orders, has all that will come. */
export async function readSoFar(
  scope: ReadScope,
  { marketplace, accountId }: MarketplaceAccount,
): Promise<Reading> {
  const connections = await connectionOverviews(scope);
  const own = connections.find((one) => one.service === marketplace && one.accountId === accountId);
  const connector = findConnector(marketplace);
  return {
    account: {
      orders: !own || !connector?.orders || isRead(streamOf(own, 'orders')),
      ledger: !own || !connector?.settlements || isRead(streamOf(own, 'settlements')),
    },
    isAllRead: connections
      .filter(({ state }) => state !== 'disconnected')
      .every(
        (one) => !isInPart(streamOf(one, 'orders')) && !isInPart(streamOf(one, 'settlements')),
      ),
    ledgers: {
      own: JSON.stringify(own ? streamOf(own, 'settlements') : null),
      all: JSON.stringify(connections.map((one) => streamOf(one, 'settlements'))),
    },
  };
}

function streamOf({ streams }: Overview, name: StreamName): StreamOverview | undefined {
  return streams.find(({ stream }) => stream === name);
}

/** Orders come page by page all day; payouts come before the movements that explain them. */
function isRead(stream: StreamOverview | undefined): boolean {
  if (!stream || stream.isFirstImport) return false;
  return stream.stream === 'orders' || !stream.isReadInPart;
}

/** A first import that has given nothing, as without a permission, takes nothing away. */
function isInPart(stream: StreamOverview | undefined): boolean {
  return stream !== undefined && !isRead(stream) && stream.items > 0;
}
