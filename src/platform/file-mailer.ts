import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import { newId } from './ids.ts';
import { headersOf, type Mailer, type MailerOptions } from './mailer.ts';

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
