import { createHash } from 'node:crypto';
import type { ReadScope } from '../../platform/db/database.ts';
import { cfdis, xmlOf } from './cfdis.ts';
import type { CfdiDirection, SatStatus } from './kinds.ts';
import { linksOf, type OrderLink } from './store-links.ts';
import { summariesOf } from './store-records.ts';
import type { CfdiRecord } from './xml/record.ts';

/** A CFDI as it was read, with what is known beside its document. */
interface HeldCfdi extends CfdiRecord {
  readonly direction: CfdiDirection;
  readonly sat_status: SatStatus;
  readonly order_links: readonly {
    readonly marketplace: string;
    readonly account_id: string;
    readonly order_id: string;
    readonly origin: OrderLink['origin'];
  }[];
  /** `upload`, or the marketplace that gave it. */
  readonly source: string;
  /** Of the XML as it came. */
  readonly sha256: string;
}

const AT_ONCE = 500;

/** All CFDI, oldest first; or the one with this folio. */
export async function heldCfdis(scope: ReadScope, uuid: string | null): Promise<HeldCfdi[]> {
  const records = await cfdis(scope, uuid);
  const held: HeldCfdi[] = [];
  for (let at = 0; at < records.length; at += AT_ONCE)
    held.push(...(await heldOf(scope, records.slice(at, at + AT_ONCE))));
  return held;
}

async function heldOf(scope: ReadScope, records: readonly CfdiRecord[]): Promise<HeldCfdi[]> {
  const uuids = records.map(({ uuid }) => uuid);
  const summaries = new Map((await summariesOf(scope, uuids)).map((one) => [one.uuid, one]));
  const links = Map.groupBy(await linksOf(scope, uuids), ({ uuid }) => uuid);
  const files = await xmlOf(scope, uuids);
  return records.flatMap((record) => {
    const summary = summaries.get(record.uuid);
    const xml = files.get(record.uuid);
    // Removed since its record was read.
    if (!summary || !xml) return [];
    const { direction, status: sat_status, source } = summary;
    const order_links = (links.get(record.uuid) ?? []).map(({ order, origin }) => {
      const { marketplace, accountId: account_id, id: order_id } = order;
      return { marketplace, account_id, order_id, origin };
    });
    const sha256 = createHash('sha256').update(xml).digest('hex');
    return [{ ...record, direction, sat_status, order_links, source, sha256 }];
  });
}
