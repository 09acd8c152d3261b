/** The two ways out for mails. */
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import type { Clock } from './clock.ts';
import { newId } from './ids.ts';

/** One person, one matter. The text is complete by itself; the html is the same with its links. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailerOptions {
  readonly smtpUrl: string | null;
  readonly from: string;
  /** Where answers to mails go; null = to the sender. */
  readonly replyTo: string | null;
  readonly folder: string;
  readonly clock: Clock;
}

/** What a mail server said for good, in its numbers alone: its words may hold the address. */
export interface MailRefusal {
  /** Such as 550; null = the address itself cannot be sent to. */
  readonly status: number | null;
  readonly command: string;
}

/** Sends a mail to the mail server. */
export interface Mailer {
  /**
   * Throws where no server accepts it now: the job is repeated. @returns why none ever will; null = it
   * was taken
   */
  send(mail: Mail): Promise<MailRefusal | null>;
  close(): Promise<void>;
}

/** As nodemailer throws it; without a number where no server spoke. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

const PATIENCE_MS = 10_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export function smtpMailer(url: string, given: MailerOptions): Mailer {
  const headers = headersOf(given);
  const { protocol, hostname } = new URL(url);
  const transport = nodemailer.createTransport({
    url,
    // A mail may hold a sign-in link: it leaves this machine encrypted or not at all.
    requireTLS: protocol === 'smtp:' && !LOOPBACK.includes(hostname),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      return transport.sendMail({ ...headers, ...mail }).then(
        () => null,
        (error) => refusalIn(error),
      );
    },
    close: async () => transport.close(),
  };
}

export function fileMailer(given: MailerOptions): Mailer {
  const { folder, clock } = given;
  const headers = headersOf(given);
  const writer = nodemailer.createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'unix',
  });
  return {
    async send(mail) {
      const { message } = await writer.sendMail({ ...headers, ...mail });
      const name = `${clock.now().toString().replaceAll(':', '-')}-${newId().slice(0, 8)}.eml`;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await open(join(folder, `.${name}`), 'wx', 0o600);
      await file.writeFile(message as Buffer).finally(() => file.close());
      await rename(join(folder, `.${name}`), join(folder, name));
      return null;
    },
    async close() {},
  };
}

function headersOf({ from, replyTo }: MailerOptions) {
  return { from, ...(replyTo !== null && { replyTo }) };
}

/**
 * The refusal, if it is of this mail and for good. A refused greeting, login or sender is that of
 * every mail, and the operator's to mend. Of what a server said only the numbers are thrown on.
 */
function refusalIn(error: SmtpError): MailRefusal {
  const { code = '', command = '', responseCode: status = null } = error;
  const isOfThisMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isOfThisMail && command !== 'MAIL FROM' && (status === null || status >= 500))
    return { status, command };
  throw status === null ? error : new Error(`the mail server answered ${status} to ${command}`);
}
