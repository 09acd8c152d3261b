/** The two ways out for mails. */
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import type { Clock } from './clock.ts';
import { newId } from './ids.ts';

/** One person, one matter. The text stands for itself; the html is the same with its links. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailerOptions {
  readonly smtpUrl: string | null;
  readonly from: string;
  readonly folder: string;
  readonly clock: Clock;
}

/** Takes a mail out of the house. Throws when nobody took it: the job comes again. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

const PATIENCE_MS = 10_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export function smtpMailer(url: string, from: string): Mailer {
  const { protocol, hostname } = new URL(url);
  const transport = nodemailer.createTransport({
    url,
    // A mail holds a link that lets somebody in: it leaves this machine encrypted or not at all.
    requireTLS: protocol === 'smtp:' && !LOOPBACK.includes(hostname),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      await transport.sendMail({ from, ...mail });
    },
    close: async () => transport.close(),
  };
}

export function fileMailer({ from, folder, clock }: MailerOptions): Mailer {
  const writer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    async send(mail) {
      const { message } = await writer.sendMail({ from, ...mail });
      const name = `${clock.now().toString().replaceAll(':', '-')}-${newId().slice(0, 8)}.eml`;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await open(join(folder, `.${name}`), 'wx', 0o600);
      await file.writeFile(message as Buffer).finally(() => file.close());
      await rename(join(folder, `.${name}`), join(folder, name));
    },
    async close() {},
  };
}
