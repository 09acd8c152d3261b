import type { WriteHandle } from './db/database.ts';
import { defineJob } from './job.ts';
import type { Log } from './log.ts';
import type { Mail, Mailer, MailerOptions } from './mailer.ts';
import type { Queue } from './queue.ts';
import type { Keyring } from './seal.ts';
import { openPayload, SEALED_PAYLOAD, sealPayload } from './sealed-payload.ts';

export type { Mail, Mailer };

/** Where mails are put; they leave as jobs, so that a mail server that is away loses none. */
export interface Postbox {
  /** Joins the transaction. */
  put(handle: WriteHandle, mail: Mail): Promise<void>;
}

interface MailParts {
  readonly mailer: Mailer;
  readonly keyring: Keyring;
  readonly log: Log;
}

/** Sends a mail. The payload is sealed: its links sign a person in. */
export const mailJob = defineJob({
  name: 'mail',
  policy: 'standard',
  // Most of a day: a mail server may be down for that long.
  retries: 100,
  concurrency: 2,
  payload: SEALED_PAYLOAD,
  async run({ mailer, keyring, log }: MailParts, sealed) {
    const mail = JSON.parse(openPayload(keyring, 'mail', sealed)) as Mail;
    const refused = await mailer.send(mail);
    if (refused) log.error({ mail: sealed.ticket, ...refused }, 'mail refused for good');
    return refused && { refused };
  },
});

/**
 * By SMTP where there is a server, else as files that only their owner reads. What it takes is
 * loaded with the first mail.
 */
export function openMailer(given: MailerOptions): Mailer {
  let opened: Promise<Mailer> | null = null;
  const mailer = () => {
    opened ??= open(given);
    return opened;
  };
  return {
    send: async (mail) => (await mailer()).send(mail),
    close: async () => (await opened)?.close(),
  };
}

async function open(given: MailerOptions): Promise<Mailer> {
  const { smtpUrl } = given;
  if (smtpUrl === null) return (await import('./file-mailer.ts')).fileMailer(given);
  return (await import('./smtp-mailer.ts')).smtpMailer(smtpUrl, given);
}

export function openPostbox(queue: Queue, keyring: Keyring): Postbox {
  return {
    async put(handle, mail) {
      const data = sealPayload(keyring, mailJob.name, JSON.stringify(mail));
      await queue.enqueue(handle, mailJob, { data });
    },
  };
}
