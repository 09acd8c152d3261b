/**
 * Sends notices of what was committed, gathered for a moment. A notice inside a transaction takes a
 * lock of the whole server until that commit is on the disk, so that commits of all organisations
 * would follow one another; and where a commit reaches several servers, it can arrive before the
 * rows are visible.
 */
export interface NoticeSender {
  /**
   * Call it after the commit. Of two values of one subject the one that sorts last, as text, is
   * sent.
   */
  notify(subject: string, value: string): void;
  /** Sends what is gathered; what cannot be sent is given up. */
  flush(): Promise<void>;
}

const GATHER_MS = 20;
/** PostgreSQL takes less than 8,000. */
const LONGEST_PAYLOAD = 7_900;

/** @param send one notice; its payload has a line `subject value` each */
export function openNoticeSender(
  send: (payload: string) => Promise<unknown>,
  onError: (error: Error) => void,
): NoticeSender {
  const gathered = new Map<string, string>();
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> | null = null;

  async function sendAll(): Promise<void> {
    const payloads = payloadsOf(gathered);
    gathered.clear();
    // A listener that misses a notice polls soon, so a failure costs a moment.
    for (const payload of payloads) await send(payload).catch(onError);
  }

  function sendSoon(): void {
    if (timer || sending || gathered.size === 0) return;
    timer = setTimeout(() => {
      timer = null;
      sending = sendAll().finally(() => {
        sending = null;
        sendSoon();
      });
    }, GATHER_MS);
  }

  return {
    notify(subject, value) {
      const known = gathered.get(subject);
      if (known === undefined || known < value) gathered.set(subject, value);
      sendSoon();
    },
    async flush() {
      await sending;
      if (timer) clearTimeout(timer);
      timer = null;
      await sendAll();
    },
  };
}

/** Lines, as many in each payload as PostgreSQL takes. All of them are ASCII. */
function payloadsOf(notices: ReadonlyMap<string, string>): string[] {
  const payloads: string[] = [];
  let payload = '';
  for (const [subject, value] of notices) {
    const line = `${subject} ${value}`;
    if (payload !== '' && payload.length + 1 + line.length > LONGEST_PAYLOAD) {
      payloads.push(payload);
      payload = '';
    }
    payload = payload === '' ? line : `${payload}\n${line}`;
  }
  return payload === '' ? payloads : [...payloads, payload];
}

type NoticeListener = (subject: string, value: string) => void;

/** Listeners of this process get its own notices without the database. */
export function heardHere(sender: NoticeSender) {
  const listeners: NoticeListener[] = [];
  const notifying: NoticeSender = {
    ...sender,
    notify(subject, value) {
      for (const listener of listeners) listener(subject, value);
      sender.notify(subject, value);
    },
  };
  const onNotice = (listener: NoticeListener) => void listeners.push(listener);
  return { notifying, onNotice };
}
