import { AsyncLocalStorage } from 'node:async_hooks';
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Overload } from '../../platform/failure.ts';
import { isGuessable } from './guessable.ts';

export const SHORTEST_PASSWORD = 12;
export const LONGEST_PASSWORD = 128;

/** Of one hash by Argon2id. */
export interface PasswordCost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The hash of a new password, as it is stored. @throws Overload */
export type HashPassword = (password: string) => Promise<string>;

const COST: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const derive = promisify(argon2);

/**
 * Hashes run on so many threads at once; the other threads are left to the rest, such as look-ups
 * of host names.
 */
const HASHES_AT_ONCE = 2;
/** A few seconds of work, in each queue. */
const MOST_WAITING = 100;
/** Of one account in the queue of known ones, so that none fills it. */
const MOST_WAITING_OF_ACCOUNT = 5;
const RETRY_SECONDS = 5;
let running = 0;

interface Waiting {
  /** Undefined = a stranger's. */
  readonly account: string | undefined;
  readonly start: () => void;
}

/**
 * Sessions, and browsers that have signed in before, have a queue of their own, which a flood of
 * strangers does not fill.
 */
type QueueName = 'known' | 'strangers';
const waiting: Readonly<Record<QueueName, Waiting[]>> = { known: [], strangers: [] };
const knownAccount = new AsyncLocalStorage<string>();
let lastServed: QueueName = 'strangers';

/** Argon2id in the usual notation, parameters included, so that they may grow. */
export async function hashPassword(password: string, cost: PasswordCost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await tagOf(password, salt, cost);
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${plain64(salt)}$${plain64(tag)}`;
}

/** False also for a text that is no hash of ours. */
export async function verifyPassword({
  hash,
  password,
}: {
  hash: string;
  password: string;
}): Promise<boolean> {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  if (!found) return false;
  const [, memory, passes, parallelism, salt = '', tag = ''] = found;
  const wanted = Buffer.from(tag, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const made = await tagOf(password, Buffer.from(salt, 'base64'), cost);
  return made.length === wanted.length && timingSafeEqual(made, wanted);
}

/**
 * Passwords hashed by this work wait in the queue of known accounts.
 * @param account its address
 */
export function withKnownAccountPriority<T>(account: string, work: () => Promise<T>): Promise<T> {
  return knownAccount.run(account, work);
}

/**
 * Why a new password is refused, in Spanish; null when it is good. There is no rule about kinds of
 * characters.
 */
export function passwordFault(
  password: string,
  about: { email: string; name: string },
): string | null {
  // In UTF-16 units, as the sign-in library counts: a password accepted here must be accepted
  // there.
  const { length } = password;
  if (length < SHORTEST_PASSWORD)
    return `La contraseña necesita al menos ${SHORTEST_PASSWORD} caracteres. Una frase de varias palabras funciona bien.`;
  if (length > LONGEST_PASSWORD)
    return `La contraseña puede tener hasta ${LONGEST_PASSWORD} caracteres.`;
  return isGuessable(password, about)
    ? 'Esa contraseña es fácil de adivinar. Usa una frase de varias palabras, sin tu nombre ni tu correo.'
    : null;
}

/** Normalised: keyboards compose accents differently. @throws Overload */
function tagOf(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  return inTurn(() =>
    derive('argon2id', {
      message: password.normalize('NFKC'),
      nonce: salt,
      tagLength: TAG_BYTES,
      ...cost,
    }),
  );
}

/**
 * The two queues take turns, each in order of arrival. A full queue refuses instead of delaying all
 * requests.
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < HASHES_AT_ONCE) running++;
  else await waitForSlot(knownAccount.getStore());
  try {
    return await work();
  } finally {
    // The slot passes to the next in the queue, or is released.
    const next = nextInTurn();
    if (next) next.start();
    else running--;
  }
}

/** @throws Overload */
function waitForSlot(account: string | undefined): Promise<void> {
  const queue = waiting[account === undefined ? 'strangers' : 'known'];
  const own = queue.filter((other) => other.account === account).length;
  const most = account === undefined ? MOST_WAITING : MOST_WAITING_OF_ACCOUNT;
  if (queue.length >= MOST_WAITING || own >= most) throw new Overload(RETRY_SECONDS);
  return new Promise((start) => queue.push({ account, start }));
}

function nextInTurn(): Waiting | undefined {
  const first: QueueName = lastServed === 'known' ? 'strangers' : 'known';
  const served = waiting[first].length > 0 ? first : lastServed;
  lastServed = served;
  return waiting[served].shift();
}

function plain64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
