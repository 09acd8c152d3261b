import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import type { Clock } from './clock.ts';
import type { WriteHandle } from './db/database.ts';
import { newId } from './ids.ts';
import type { Queue } from './queue.ts';
import { type Keyring, seal, unseal } from './seal.ts';

/** One person, one matter. The text stands for itself; the html is the same with its links. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Takes a mail out of the house. Throws when nobody took it: the job comes again. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Where mails are put; they leave as jobs, so that a mail server that is away loses none. */
export interface Postbox {
  /** Joins the transaction. */
  put(handle: WriteHandle, mail: Mail): Promise<void>;
}

/** Sealed: the links in it let somebody in. */
export interface MailJob {
  readonly ticket: string;
  readonly box: string;
}

export const MAIL_QUEUE = 'mail';

const PATIENCE_MS = 10_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** By SMTP where there is a server, else as files that only their owner reads. */
export function openMailer(given: {
  readonly smtpUrl: string | null;
  readonly from: string;
  readonly folder: string;
  readonly clock: Clock;
}): Mailer {
  return given.smtpUrl === null ? fileMailer(given) : smtpMailer(given.smtpUrl, given.from);
}

export function openPostbox(queue: Queue, keyring: Keyring): Postbox {
  return {
    async put(handle, mail) {
      const ticket = newId();
      const box = seal(keyring, placeOf(ticket), JSON.stringify(mail));
      await queue.enqueue(handle, MAIL_QUEUE, { ticket, box } satisfies MailJob);
    },
  };
}

export function openMail(keyring: Keyring, { ticket, box }: MailJob): Mail {
  return JSON.parse(unseal(keyring, placeOf(ticket), box)) as Mail;
}

/** `text` and `html` of a mail out of its paragraphs; one that is an address becomes a link. */
export function letter(to: string, subject: string, paragraphs: readonly string[]): Mail {
  const html = paragraphs.map((paragraph) => {
    const safe = escapeHtml(paragraph);
    return /^https?:\/\/\S+$/.test(paragraph) ? `<p><a href="${safe}">${safe}</a></p>` : `<p>${safe}</p>`;
  });
  return {
    to,
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: `<!doctype html><html lang="es-MX"><meta charset="utf-8"><title>${escapeHtml(subject)}</title>\n${html.join('\n')}\n</html>\n`,
  };
}

function smtpMailer(url: string, from: string): Mailer {
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
    close: () => transport.close(),
  };
}

function fileMailer({ from, folder, clock }: { from: string; folder: string; clock: Clock }): Mailer {
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
    close() {},
  };
}

function placeOf(ticket: string) {
  return { organizationId: 'house', subjectId: ticket, field: MAIL_QUEUE };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
