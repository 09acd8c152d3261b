import nodemailer from 'nodemailer';
import { headersOf, type Mailer, type MailerOptions, type MailRefusal } from './mailer.ts';

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
