/** Orders that come by themselves, before and from now on. */
import type { Order } from '../order.ts';
import { LINES, type openCarts, SLOTS, type Stream } from './carts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Orders older than this are forgotten. */
export const MEMORY = 365 * DAY;

export function openStreams(
  { slotTime, drawCart }: ReturnType<typeof openCarts>,
  now: () => number,
) {
  const streams: Stream[] = [];
  const flowing: { stream: Stream; next: number }[] = [];

  function startStream(every: number, hour: number): Stream {
    const stream = { number: streams.length + 1, every, hour };
    streams.push(stream);
    return stream;
  }

  function fill({ orders, days }: { orders: number; days: number }): Order[] {
    const stream = startStream(Math.floor((days * DAY) / orders), HOUR);
    const drawn: Order[] = [];
    for (let slot = Math.floor(now() / stream.every); drawn.length < orders; slot -= 1) {
      if (slotTime(stream, slot) <= now()) drawn.push(...drawCart(stream, slot));
    }
    return drawn.slice(0, orders);
  }

  function flow({ every, hour = HOUR }: { every: number; hour?: number }): void {
    if (every < 2_000)
      throw new Error('orders at least 2 s apart: their numbers come from their slot of time');
    flowing.push({ stream: startStream(every, hour), next: Math.ceil(now() / every) });
  }

  /** What has come since the last call. */
  function drawDue(): Order[] {
    const drawn: Order[] = [];
    for (const flow of flowing) {
      for (; slotTime(flow.stream, flow.next) <= now(); flow.next += 1) {
        drawn.push(...drawCart(flow.stream, flow.next));
      }
    }
    return drawn;
  }

  /**
   * Orders of an earlier run of the same seed, or older than what was filled in: listed no more,
   * but not lost.
   */
  function recallCart(number: number): Order[] {
    const slotNumber = Math.floor(number / LINES);
    const stream = streams[Math.floor(slotNumber / SLOTS) - 1];
    if (!stream) return [];
    const slot = slotNumber % SLOTS;
    const at = slotTime(stream, slot);
    return at > now() || at < now() - MEMORY ? [] : drawCart(stream, slot);
  }

  return { fill, flow, drawDue, recallCart };
}
