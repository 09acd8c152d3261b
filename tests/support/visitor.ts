import { createHmac } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A browser without script: keeps cookies, sends forms, follows nothing by itself. */
export interface Visitor {
  readonly cookies: Map<string, string>;
  /** Where its requests come from. */
  readonly address: string;
  get(path: string, headers?: Record<string, string>): Promise<PageAnswer>;
  post(
    path: string,
    form?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<PageAnswer>;
  /** As the script of a page posts JSON. */
  ask(path: string, body: object): Promise<PageAnswer>;
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it leads; '' when nowhere. */
  readonly to: string;
}

let visitors = 0;

function nextAddress(): string {
  visitors += 1;
  return `198.18.${visitors >> 8}.${visitors & 255}`;
}

interface VisitorOptions {
  readonly address?: string;
  /** Whose page it looks at. */
  readonly origin?: string;
  readonly cookies?: ReadonlyMap<string, string>;
}

/**
 * Each comes from an address of its own, where the instance trusts 127.0.0.1 as a proxy: one of the
 * 65,536 of RFC 2544, since a process runs many files.
 */
export function openVisitor(url: string, options: VisitorOptions = {}): Visitor {
  const { address = nextAddress(), origin = new URL(url).origin } = options;
  const cookies = new Map(options.cookies);
  async function send(path: string, init: RequestInit & { headers: Record<string, string> }) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, url), {
      ...init,
      redirect: 'manual',
      headers: { 'x-forwarded-for': address, ...(cookie && { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const to = response.headers.get('location') ?? '';
    return { status: response.status, headers: response.headers, text: await response.text(), to };
  }
  return {
    cookies,
    address,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, form = {}, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: {
          origin,
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        body: new URLSearchParams(form).toString(),
      }),
    ask: (path, body) =>
      send(path, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (value === '' || /max-age=0\b/i.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

/** The mails to an address in the folder, oldest first, once there are that many. */
export async function mailsTo(folder: string, email: string, count: number): Promise<string[]> {
  for (const deadline = performance.now() + 120_000; ; await pause(50)) {
    const found = await readMails(folder, email);
    if (found.length >= count) return found;
    if (performance.now() > deadline)
      throw new Error(`${found.length} mails to ${email}, not ${count}`);
  }
}

/** The token of the newest link to that page. */
export function tokenIn(mails: readonly string[], page: string): string {
  const links = mails.flatMap((mail) => [
    ...mail.matchAll(new RegExp(`${page}\\?token=([\\w.%-]+)`, 'g')),
  ]);
  const token = links.at(-1)?.[1];
  if (!token) throw new Error(`no link to ${page}`);
  return decodeURIComponent(token);
}

/** What an authenticator app shows for a key in base32. */
export function codeOf(key: string, at = Date.now()): string {
  const bits = [...key.replace(/\s/g, '')]
    .map((letter) =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    )
    .join('');
  const secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) as number) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

async function readMails(folder: string, email: string): Promise<string[]> {
  // What begins with a dot is still being written.
  const names = (await readdir(folder).catch(() => [])).filter((name) =>
    /^[^.].*\.eml$/.test(name),
  );
  const mails = await Promise.all(names.map((name) => mailIn(join(folder, name))));
  return mails
    .filter(({ text }) => text.includes(`To: ${email}`))
    .sort((one, other) => Number(one.at - other.at))
    .map(({ text }) => plainText(text));
}

interface Mail {
  readonly text: string;
  /** Its own time, in nanoseconds: the instance's clock may be stopped. */
  readonly at: bigint;
}

/** By path: a mail does not change. */
const read = new Map<string, Promise<Mail>>();

function mailIn(path: string): Promise<Mail> {
  const known = read.get(path);
  if (known) return known;
  const mail = Promise.all([readFile(path, 'utf8'), stat(path, { bigint: true })]).then(
    ([text, { mtimeNs: at }]) => ({ text, at }),
  );
  read.set(path, mail);
  return mail;
}

/** Undoes the soft line ends of quoted-printable. */
export function plainText(mail: string): string {
  if (!mail.includes('quoted-printable')) return mail;
  return mail
    .replace(/=\r?\n/g, '')
    .replace(/((?:=[0-9A-F]{2})+)/g, (bytes) =>
      Buffer.from(bytes.replaceAll('=', ''), 'hex').toString('utf8'),
    );
}
