import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { ServiceLetters } from '../../parts/ServiceMark.tsx';
import { words as common } from '../../words.ts';
import { inventoryWords as words } from './words.ts';

type Channel = Output<'inventory.list'>['data'][number]['channels'][number];

/** What most channels have of the seller's own stock, and where none prevails the largest. */
export function usualOf(channels: readonly Channel[]): number | null {
  const counted = channels.flatMap(({ is_compared, least, most }) =>
    is_compared && least !== null && least === most ? [least] : [],
  );
  const times = (count: number) => counted.filter((one) => one === count).length;
  return counted.sort((a, b) => times(b) - times(a) || b - a)[0] ?? null;
}

interface StockAtProps {
  readonly channels: readonly Channel[];
  /** What differs from it is marked; null = nothing is. */
  readonly usual: number | null;
}

/** The seller's stock in one marketplace, and beside it what is not compared. */
export function StockAt({ channels, usual }: StockAtProps) {
  if (channels.length === 0) return <span className="faint">{common.parts.none}</span>;
  return channels.map((channel) =>
    channel.is_compared ? (
      <span key="own">
        <Quantity of={channel} />
        <Mark channel={channel} usual={usual} />
      </span>
    ) : (
      <Beside key={`${channel.warehouse} beside`} channel={channel} />
    ),
  );
}

/** What is not compared: the marketplace's own warehouse, packs and kits. */
function Beside({ channel }: { channel: Channel }) {
  const meaning = channel.warehouse === 'marketplace' ? words.full : words.packs;
  return (
    <span className="faint stock-beside" title={meaning}>
      + <Quantity of={channel} />
      <span className="unseen"> {meaning}</span>
    </span>
  );
}

function Mark({ channel: { least, most }, usual }: { channel: Channel; usual: number | null }) {
  if (usual === null || least === null || most === null) return null;
  if (least === usual && most === usual) return null;
  const [sign, meaning] = least < usual ? ['▼', words.fewer] : ['▲', words.more];
  return (
    <span className="stock-mark" title={meaning}>
      <span aria-hidden="true"> {sign}</span>
      <span className="unseen"> {meaning}</span>
    </span>
  );
}

/** All marketplaces in a line, where there is no room for a column each. */
export function StockLine({
  channels,
  usual,
  nameOf,
}: StockAtProps & { readonly nameOf: (slug: string) => string }) {
  const places = [...new Set(channels.map(({ marketplace }) => marketplace))];
  return (
    <span className="stock-line">
      {places.map((place) => (
        <span key={place}>
          <ServiceLetters name={nameOf(place)} />{' '}
          <StockAt
            channels={channels.filter(({ marketplace }) => marketplace === place)}
            usual={usual}
          />
        </span>
      ))}
    </span>
  );
}

function Quantity({ of: { least, most, is_unlimited } }: { of: Channel }) {
  const unlimited = (
    <span title={words.unlimited}>
      <span aria-hidden="true">∞</span>
      <span className="unseen">{words.unlimited}</span>
    </span>
  );
  if (least === null || most === null) return unlimited;
  const range = least === most ? countText(least) : words.range(countText(least), countText(most));
  return is_unlimited ? (
    <>
      {range} · {unlimited}
    </>
  ) : (
    range
  );
}
