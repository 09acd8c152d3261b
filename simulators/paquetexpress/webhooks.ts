/**
 * Webhooks: one event each, to the address with the secret that the customer sent; again until it
 * is answered 200.
 */
import { pushed } from './documents.ts';
import { happened, type Parcel, type ParcelEvent } from './parcel.ts';

interface Delivery {
  readonly tracking: string;
  readonly code: string;
  /** 0 = no answer. */
  readonly status: number;
  readonly body: unknown;
}

export interface Webhooks {
  /** From now on changes are sent there; null = nothing is sent. */
  sendTo(address: string | null): void;
  /** Sends what happened since the last time, and again what was not taken. */
  deliver(): Promise<Delivery[]>;
  /** Does so every so often, of real time, until `stop`. */
  every(milliseconds: number): void;
  /** How many wait for a retry. */
  waiting(): number;
  stop(): void;
}

export function openWebhooks(parcels: () => readonly Parcel[], now: () => number): Webhooks {
  let address: string | null = null;
  let reported = new Set<string>();
  let waiting: { parcel: Parcel; event: ParcelEvent }[] = [];
  let timer: NodeJS.Timeout | null = null;

  function fresh(): { parcel: Parcel; event: ParcelEvent }[] {
    const all = parcels().flatMap((parcel) =>
      happened(parcel, now()).map((event) => ({ parcel, event, key: keyOf(parcel, event) })),
    );
    const found = all.filter(({ key }) => !reported.has(key));
    reported = new Set(all.map(({ key }) => key));
    return found;
  }

  async function deliver(): Promise<Delivery[]> {
    const due = [...waiting, ...fresh()];
    const deliveries: Delivery[] = [];
    waiting = [];
    for (const { parcel, event } of due) {
      const answer = await post(address, pushed(parcel, event));
      deliveries.push({ tracking: parcel.tracking, code: event.code, ...answer });
      if (answer.status !== 200) waiting.push({ parcel, event });
    }
    return deliveries;
  }

  function stop(): void {
    if (timer) clearInterval(timer);
    timer = null;
  }

  return {
    sendTo(given) {
      address = given;
      fresh();
    },
    deliver: async () => (address === null ? [] : deliver()),
    every(milliseconds) {
      stop();
      let running = false;
      timer = setInterval(() => {
        if (running || address === null) return;
        running = true;
        deliver().finally(() => {
          running = false;
        });
      }, milliseconds);
    },
    waiting: () => waiting.length,
    stop,
  };
}

function keyOf({ tracking }: Parcel, { code, at }: ParcelEvent): string {
  return `${tracking} ${code} ${at}`;
}

async function post(
  address: string | null,
  body: unknown,
): Promise<{ status: number; body: unknown }> {
  if (address === null) return { status: 0, body: null };
  try {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: 0, body: null };
  }
}
