/** Webhooks: unsigned, and sent again every hour for twelve hours without a 200. */
import { NAMES, stamp } from './documents.ts';
import type { Moment, Parcel, Parcels } from './parcels.ts';

interface Webhook {
  readonly id: number;
  readonly account_id: number;
  readonly topic: string;
  url: string;
}

export interface Sent {
  readonly url: string;
  readonly text: string;
  /** 0 = no answer. */
  readonly status: number;
}

export interface Webhooks {
  readonly registered: Webhook[];
  register(account: number, topic: string, url: string): Webhook;
  /** Sends what is due by now: news and repeats. @returns what was sent, in order */
  send(): Promise<Sent[]>;
  /** Any body, to each subscriber of its topic, as `send` does. */
  push(account: number, topic: string, data: object): void;
  /** From now on sends what is due by itself, so often. */
  every(milliseconds: number): void;
  stop(): void;
  /** Bodies that wait for their first or next try. */
  waiting(): number;
}

interface Push {
  readonly url: string;
  readonly text: string;
  readonly firstAt: number;
  dueAt: number;
}

const HOUR = 3_600_000;
const GIVEN_UP_AFTER = 12 * HOUR;
const BACK = [
  'in_transit_to_seller',
  'returned_to_seller',
  'generated_return',
  'return_xd_pending',
];

export function createWebhooks(parcels: Parcels, now: () => number): Webhooks {
  const pull = parcels.watch();
  const registered: Webhook[] = [];
  let pushes: Push[] = [];
  let timer: NodeJS.Timeout | undefined;

  function push(account: number, topic: string, data: object): void {
    const text = JSON.stringify({ topic, timestamp: stamp(now(), '+00:00'), data });
    for (const hook of registered)
      if (hook.account_id === account && hook.topic === topic)
        pushes.push({ url: hook.url, text, firstAt: now(), dueAt: now() });
  }

  function pushMoment({ parcel, moment }: { parcel: Parcel; moment: Moment }): void {
    const names = {
      account_id: parcel.account,
      shipment_id: parcel.id,
      external_id: parcel.externalId,
    };
    if (moment === parcel.moments[0]) push(parcel.account, 'shipment', names);
    push(parcel.account, 'status', {
      ...names,
      status: NAMES[moment.code] ?? moment.code,
      status_code: moment.code,
      direction: parcel.isReturn || BACK.includes(moment.code) ? 'return' : 'forward',
    });
  }

  async function post({ url, text }: Push): Promise<Sent> {
    try {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', body: text, headers });
      await answer.arrayBuffer();
      return { url, text, status: answer.status };
    } catch {
      return { url, text, status: 0 };
    }
  }

  async function send(): Promise<Sent[]> {
    for (const news of pull()) pushMoment(news);
    const due = pushes.filter(({ dueAt }) => dueAt <= now());
    pushes = pushes.filter((letter) => !due.includes(letter));
    const sent: Sent[] = [];
    for (const letter of due) {
      const result = await post(letter);
      sent.push(result);
      const again = now() + HOUR;
      if (result.status !== 200 && again - letter.firstAt <= GIVEN_UP_AFTER)
        pushes.push({ ...letter, dueAt: again });
    }
    return sent;
  }

  return {
    registered,
    push,
    send,
    every(milliseconds) {
      clearInterval(timer);
      timer = setInterval(() => void send(), milliseconds);
    },
    stop: () => clearInterval(timer),
    waiting: () => pushes.length,
    register(account, topic, url) {
      const hook = { id: registered.length + 1, account_id: account, topic, url };
      registered.push(hook);
      return hook;
    },
  };
}
