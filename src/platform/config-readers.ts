import { BlockList, isIP } from 'node:net';

/** Everything wrong with the environment, one sentence a line, in Spanish. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `La configuración tiene ${faults.length === 1 ? 'un error' : `${faults.length} errores`}:\n- ${faults.join('\n- ')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Reads the text of a variable; `name` is for the sentence.
 * @throws ConfigError
 */
export type Reader<Value> = (text: string, name: string) => Value;

export const anyText: Reader<string> = (text) => text;

export function oneOf<const Word extends string>(...words: readonly Word[]): Reader<Word> {
  return (text, name) => {
    const word = words.find((known) => known === text);
    if (word === undefined) throw wrong(`${name} debe ser ${inWords(words)}.`);
    return word;
  };
}

/** `part=level,part=level`; each is a known word. */
export function levelsOf<const Part extends string, const Level extends string>(
  parts: readonly Part[],
  levels: readonly Level[],
): Reader<Readonly<Partial<Record<Part, Level>>>> {
  return (text, name) => {
    const found: Partial<Record<Part, Level>> = {};
    for (const entry of text.split(',').filter((one) => one.trim() !== '')) {
      const [part, level, ...more] = entry.split('=').map((word) => word.trim());
      if (level === undefined || more.length > 0)
        throw wrong(`${name} debe ser una lista como ${parts[0]}=${levels[0]}.`);
      found[oneOf(...parts)(part ?? '', `Cada parte de ${name}`)] = oneOf(...levels)(
        level,
        `El nivel de ${part} en ${name}`,
      );
    }
    return found;
  };
}

export const onOrOff: Reader<boolean> = (text, name) => oneOf('on', 'off')(text, name) === 'on';

export function whole(least: number, most: number): Reader<number> {
  return (text, name) => {
    if (!isWhole(text, least, most))
      throw wrong(`${name} debe ser un entero entre ${least} y ${most}.`);
    return Number(text);
  };
}

/** Comma separated, in lower case. `faultOf` says what is wrong with an entry; null = nothing. */
export function listOf(
  faultOf: (entry: string) => string | null = () => null,
): Reader<readonly string[]> {
  return (text, name) => {
    const entries = text
      .split(',')
      .map((part) => part.trim().toLowerCase())
      .filter((part) => part !== '');
    const faults = entries.map(faultOf).filter((fault) => fault !== null);
    if (faults.length > 0) throw new ConfigError(faults.map((fault) => `${name}: ${fault}`));
    return entries;
  };
}

/** An address that clients use: https, or http on this machine. */
export const publicAddress: Reader<string> = (text, name) => {
  const url = webAddress(text, name);
  if (url.protocol === 'http:' && !isLoopback(text))
    throw wrong(`${name} debe usar https: http solo se permite en esta misma máquina.`);
  return url.href.replace(/\/$/, '');
};

export const webOrigin: Reader<string> = (text, name) => webAddress(text, name).origin;

/** The address of a service that we use; null = none. */
export function serviceAddress(...schemes: readonly string[]): Reader<string | null> {
  return (text, name) => {
    if (text === '') return null;
    if (!schemes.some((scheme) => URL.parse(text)?.protocol === `${scheme}:`))
      throw wrong(`${name} debe empezar con ${inWords(schemes.map((scheme) => `${scheme}://`))}.`);
    return text;
  };
}

export const mailSender: Reader<string> = (text, name) => {
  if (/[\r\n]/.test(text) || !text.includes('@'))
    throw wrong(`${name} debe ser un correo, como: Tianguis <avisos@example.com>`);
  return text;
};

/** Empty = none. */
export function orNone<Value>(read: Reader<Value>): Reader<Value | null> {
  return (text, name) => (text === '' ? null : read(text, name));
}

/** One address, and plain, since pages make a link of it. */
export const mailAddress: Reader<string> = (text, name) => {
  if (!MAIL_ADDRESS.test(text) || text.length > LONGEST_MAIL_ADDRESS)
    throw wrong(`${name} debe ser un solo correo, como: ayuda@example.com`);
  return text;
};

const MAIL_ADDRESS = /^[\w.+-]+@[a-z\d-]+(\.[a-z\d-]+)+$/i;
const LONGEST_MAIL_ADDRESS = 254;

export const oneLine: Reader<string> = (text, name) => {
  if (/\p{Cc}/u.test(text) || text.length > LONGEST_LINE)
    throw wrong(`${name} debe ser una sola línea de ${LONGEST_LINE} caracteres como máximo.`);
  return text;
};

const LONGEST_LINE = 300;

/** 32 random bytes; null = none. */
export const sealingKey: Reader<Buffer | null> = (text, name) => {
  if (text === '') return null;
  const key = Buffer.from(text, 'base64');
  const isExact =
    unpadded(key.toString('base64')) === unpadded(text.replaceAll('-', '+').replaceAll('_', '/'));
  if (key.length !== 32 || !isExact || new Set(key).size < 8)
    throw wrong(
      `${name} debe ser 32 bytes al azar en base64, por ejemplo el resultado de: openssl rand -base64 32`,
    );
  return key;
};

export function originFault(origin: string): string | null {
  if (URL.parse(origin)?.origin === origin) return null;
  return `«${origin}» no es un origen; uno es, por ejemplo, https://agente.example.`;
}

export function addressBlockFault(block: string): string | null {
  const [address = '', bits, ...rest] = block.split('/');
  const family = isIP(address);
  const isBlock = bits === undefined || isWhole(bits, 0, family === 4 ? 32 : 128);
  if (family !== 0 && rest.length === 0 && isBlock) return null;
  return `«${block}» no es una dirección IP ni un bloque CIDR.`;
}

/** Whether an address leads to this machine alone. */
export function isLoopback(address: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(address)?.hostname ?? '');
}

function webAddress(text: string, name: string): URL {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw wrong(`${name} debe ser una dirección http o https.`);
  return url;
}

function isWhole(text: string, least: number, most: number): boolean {
  return /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most;
}

function unpadded(base64: string): string {
  return base64.replaceAll('=', '');
}

function inWords(words: readonly string[]): string {
  return new Intl.ListFormat('es', { type: 'disjunction' }).format(words);
}

function wrong(sentence: string): ConfigError {
  return new ConfigError([sentence]);
}

/** The private networks of RFC 1918 and RFC 4193. The internet does not reach an address in them. */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

/** Whether it is an address of one private network. */
export function isOfOneNetwork(host: string): boolean {
  const family = isIP(host);
  return family !== 0 && PRIVATE.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
