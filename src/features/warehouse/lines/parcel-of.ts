import type { Marketplace } from '../../../connectors/contract.ts';
import { findConnector } from '../../../connectors/registry.ts';
import type { PublicOrder } from '../../orders/index.ts';
import type { NewLine } from './store-lines.ts';

/** What one line is for. */
export type Parcel = Omit<NewLine, 'id'>;

type Sold = Pick<PublicOrder, 'id' | 'marketplace' | 'accountId' | 'packId'>;

/** The parcel that an order travels in: its own, or that of its pack. */
export function parcelOf(order: Sold): Parcel {
  const { marketplace, packId } = order;
  const isPacked = packId !== null && packId !== '' && travelsPacked(marketplace);
  return isPacked ? { ...parcelApart(order), parcel: `pack:${packId}` } : parcelApart(order);
}

/** Of an order that travels by itself, whatever its pack. */
export function parcelApart({ id, marketplace, accountId, packId }: Sold): Parcel {
  return { marketplace, accountId, packId, parcel: `order:${id}` };
}

export function nameOf({ marketplace, accountId, parcel }: Omit<Parcel, 'packId'>): string {
  return `${marketplace}\n${accountId}\n${parcel}`;
}

function travelsPacked(marketplace: Marketplace): boolean {
  return findConnector(marketplace)?.facts.packsTravelTogether ?? false;
}
