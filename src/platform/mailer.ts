import type { Clock } from './clock.ts';

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

/** The same of all mails. */
export function headersOf({ from, replyTo }: MailerOptions) {
  return { from, ...(replyTo !== null && { replyTo }) };
}
