import type { Marketplace } from '../../connectors/contract.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import {
  CFDI_TYPES,
  type CfdiDirection,
  type CfdiType,
  SAT_STATUSES,
  type SatStatus,
} from './kinds.ts';
import type { Withheld } from './withheld.ts';

/** What a document is called that was read. */
export const KNOWN_CFDI_TYPES = without(CFDI_TYPES, 'desconocido');
type KnownCfdiType = Exclude<CfdiType, 'desconocido'>;

/** The SAT's own terms. */
export const KNOWN_SAT_STATUSES = without(SAT_STATUSES, 'desconocido');
type KnownSatStatus = Exclude<SatStatus, 'desconocido'>;

/**
 * A tax document in the list of all: one that was read, however it came, or a document of a
 * marketplace that was not read. Null = not known.
 */
export interface CfdiDocument {
  /** The marketplace that gave the document; null = the seller uploaded it. */
  readonly marketplace: Marketplace | null;
  readonly accountId: string | null;
  /** The marketplace's own identifier; of an uploaded one its folio. */
  readonly id: string;
  readonly uuid: string | null;
  readonly type: KnownCfdiType | null;
  readonly direction: CfdiDirection | null;
  readonly status: KnownSatStatus | null;
  readonly issuerRfc: string | null;
  readonly receiverRfc: string | null;
  readonly total: Decimal | null;
  readonly currency: string | null;
  readonly issuedAt: Instant | null;
  readonly firstSeenAt: Instant;
  /** The position in lists: the time of issue, else the time when it was first seen. */
  readonly listedAt: Instant;
  readonly fileName: string | null;
  /** Bytes of the marketplace's XML; null = only its address or an image is available. */
  readonly xmlBytes: number | null;
  readonly isRead: boolean;
  readonly readFailure: string | null;
  /** Of a withholding certificate. */
  readonly withheld: Withheld | null;
  /** In order; those beyond `MOST_LISTED_ORDERS` are left out. */
  readonly orderIds: readonly string[];
  readonly hasMoreOrders: boolean;
}

function without<Word extends string, Left extends Word>(words: readonly Word[], left: Left) {
  return words.filter((word): word is Exclude<Word, Left> => word !== left);
}
