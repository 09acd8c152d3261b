/** Everything that goes wrong between two servers, on demand (`next`) or by chance (`random`). */
import { type Dice, dice } from './dice.ts';
import { isRecord, parseExactly } from './exact-json.ts';
import { type Call, type Reply, toWire, type Wire } from './http.ts';

export type FaultKind =
  | 'too_many'
  | 'too_many_retry_after'
  | 'expired_token'
  | 'server_error'
  | 'bad_gateway'
  | 'timeout'
  | 'lost_answer'
  | 'reset'
  | 'truncated'
  | 'garbage'
  | 'huge'
  | 'wrong_type'
  | 'duplicate_page'
  | 'shuffled_page'
  | 'endless_page'
  | 'shifted_clock';

/** After each of these the same call is worth another try. */
export const BROKEN_ANSWERS: readonly FaultKind[] = [
  'server_error',
  'bad_gateway',
  'timeout',
  'reset',
  'truncated',
  'garbage',
  'huge',
];

export interface Fault {
  kind: FaultKind;
  /** On path and query. Default: every call. */
  match?: RegExp;
  /** How many calls it hits. Default 1. */
  times?: number;
  /** `too_many_retry_after`: seconds. Default 1. */
  retryAfter?: number;
  /**
   * `wrong_type`: the field of the first row (`a.b` for one inside), and what to put there.
   * Default: drawn.
   */
  field?: string;
  value?: unknown;
  /**
   * `shifted_clock`: milliseconds added to every time in the answer. Default: three hours ahead.
   */
  shift?: number;
}

/**
 * Answers that name one of these things are larger by so many bytes for each, as where much is
 * stored with it.
 */
interface Swelling {
  bytes: ReadonlyMap<string, number>;
  /** On path and query. */
  match: RegExp;
}

interface RandomFaults {
  probability: number;
  kinds?: readonly FaultKind[];
  match?: RegExp;
}

export interface Faults {
  /** Comes true at the next calls that match. Several wait in line. */
  next(fault: Fault): void;
  /** From now on each call that matches fails with this probability, until `stop`. */
  random(script: RandomFaults): void;
  /** From now on, until `stop`. */
  swell(swelling: Swelling): void;
  /** No more faults of any kind. */
  stop(): void;
  /** How many explicit faults have not come true yet. */
  waiting(): number;
  /** Given to the server. */
  through(call: Call, answer: () => Promise<Wire>): Promise<Wire>;
}

interface FaultOptions {
  seed?: string | number;
  /** How this marketplace words its own errors. */
  replies?: Partial<Record<'too_many' | 'expired_token' | 'server_error', Reply>>;
  /**
   * Not hit by chance unless matched on purpose: a lost answer here would cost a single-use token.
   */
  spared?: RegExp;
}

interface Stage {
  readonly fault: Fault;
  readonly chance: Dice;
  readonly replies: NonNullable<FaultOptions['replies']>;
  /** Asks the marketplace itself. */
  answer(): Promise<Wire>;
  /** The answer to the last call of the same path. */
  readonly before: Wire | undefined;
  /** Kept as long as the fault lives. */
  readonly memory: { first?: Wire };
}

const TOO_MANY: Reply = { status: 429, body: { message: 'Too many requests', status: 429 } };
const SERVER_ERROR: Reply = {
  status: 500,
  body: { message: 'Internal server error', status: 500 },
};
const UNAUTHORIZED: Reply = { status: 401, body: { message: 'Unauthorized', status: 401 } };
const THREE_HOURS = 3 * 3_600_000;
const HUGE_BYTES = 10 * 2 ** 20;

const STAGES: Record<FaultKind, (stage: Stage) => Wire | Promise<Wire>> = {
  too_many: ({ replies }) => toWire(replies.too_many ?? TOO_MANY),
  too_many_retry_after: ({ replies, fault }) => {
    const wire = toWire(replies.too_many ?? TOO_MANY);
    return { ...wire, headers: { ...wire.headers, 'retry-after': String(fault.retryAfter ?? 1) } };
  },
  expired_token: ({ replies }) => toWire(replies.expired_token ?? UNAUTHORIZED),
  server_error: ({ replies }) => toWire(replies.server_error ?? SERVER_ERROR),
  bad_gateway: () => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    text: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
  }),
  timeout: () => ({ status: 200, headers: {}, text: '', end: 'never' }),
  // The request was processed, and its answer is lost.
  lost_answer: async ({ answer }) => ({ ...(await answer()), end: 'never' }),
  reset: async ({ answer }) => ({ ...(await answer()), end: 'reset' }),
  truncated: async ({ answer }) => {
    const wire = await answer();
    return { ...wire, text: wire.text.slice(0, Math.floor(wire.text.length * 0.6)) };
  },
  garbage: async ({ answer }) => ({ ...(await answer()), text: '\u0000\u0001<<<%$ {no es json' }),
  huge: async ({ answer }) => ({
    ...(await answer()),
    text: JSON.stringify({ relleno: '' }),
    blanks: HUGE_BYTES,
  }),
  wrong_type: async ({ answer, fault, chance }) =>
    rewritten(await answer(), (document) => {
      const [first = '', ...inner] = fault.field?.split('.') ?? [];
      const own = isRecord(document) && first in document;
      const row = own ? document : (rowsOf(document)[0] ?? document);
      if (!isRecord(row)) return document;
      const path = first ? [first, ...inner] : [chance.pick(Object.keys(row))];
      const owner = path.slice(0, -1).reduce<unknown>(within, row);
      const field = path.at(-1) as string;
      if (isRecord(owner))
        owner[field] = 'value' in fault ? fault.value : wrongValueFor(owner[field]);
      return document;
    }),
  duplicate_page: async ({ answer, before }) => before ?? (await answer()),
  shuffled_page: async ({ answer }) =>
    rewritten(await answer(), (document) => {
      rowsOf(document).reverse();
      return document;
    }),
  endless_page: async ({ answer, memory }) => {
    memory.first ??= await answer();
    return memory.first;
  },
  shifted_clock: async ({ answer, fault }) => {
    const wire = await answer();
    return { ...wire, text: shiftTimes(wire.text, fault.shift ?? THREE_HOURS) };
  },
};

/**
 * What a script of random faults draws from, by default: faults that pass, and leave no
 * trace.
 */
const PASSING: readonly FaultKind[] = [
  'too_many',
  'too_many_retry_after',
  'expired_token',
  'server_error',
  'bad_gateway',
  'reset',
  'truncated',
  'garbage',
];

export function createFaults({ seed = 'faults', replies = {}, spared }: FaultOptions = {}): Faults {
  const chance = dice(seed, 'faults');
  const last = new Map<string, Wire>();
  let script: { fault: Fault; left: number; memory: Stage['memory'] }[] = [];
  let random: RandomFaults | null = null;
  let swelling: Swelling | null = null;

  function choose(call: Call): { fault: Fault; memory: Stage['memory'] } | null {
    const asked = `${call.path}?${call.query}`;
    const planned = script.find(({ fault }) => fault.match?.test(asked) ?? true);
    if (planned) {
      planned.left -= 1;
      if (planned.left <= 0) script = script.filter((one) => one !== planned);
      return planned;
    }
    if (!random || !(random.match?.test(asked) ?? !spared?.test(asked))) return null;
    if (!chance.chance(random.probability)) return null;
    return { fault: { kind: chance.pick(random.kinds ?? PASSING) }, memory: {} };
  }

  async function through(call: Call, answerOf: () => Promise<Wire>): Promise<Wire> {
    const answer = async () => swollen(call, await answerOf(), swelling);
    const key = `${call.method} ${call.path}`;
    const chosen = choose(call);
    if (!chosen) {
      const wire = await answer();
      if (wire.status === 200) last.set(key, wire);
      return wire;
    }
    const { fault, memory } = chosen;
    const wire = await STAGES[fault.kind]({
      fault,
      memory,
      chance,
      replies,
      answer,
      before: last.get(key),
    });
    return { ...wire, fault: fault.kind };
  }

  return {
    next: (fault) => void script.push({ fault, left: fault.times ?? 1, memory: {} }),
    random: (wanted) => {
      random = wanted;
    },
    swell: (wanted) => {
      swelling = wanted;
    },
    stop: () => {
      script = [];
      random = null;
      swelling = null;
    },
    waiting: () => script.length,
    through,
  };
}

function swollen(call: Call, wire: Wire, swelling: Swelling | null): Wire {
  if (!swelling?.match.test(`${call.path}?${call.query}`)) return wire;
  const blanks = [...swelling.bytes]
    // The expression is slow, and most answers do not even contain the id.
    .filter(([id]) => wire.text.includes(id))
    .filter(([id]) => new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(wire.text))
    .reduce((sum, [, bytes]) => sum + bytes, 0);
  return blanks > 0 ? { ...wire, blanks } : wire;
}

function rewritten(wire: Wire, change: (document: unknown) => unknown): Wire {
  if (!wire.headers['content-type']?.includes('json')) return wire;
  return { ...wire, text: JSON.stringify(change(parseExactly(wire.text))) };
}

/** The rows of a page: its longest list of objects that lies in no other such list. */
function rowsOf(document: unknown): unknown[] {
  if (Array.isArray(document)) return document.some(isRecord) ? document : [];
  if (!isRecord(document)) return [];
  return Object.values(document)
    .map(rowsOf)
    .reduce((longest, rows) => (rows.length > longest.length ? rows : longest), []);
}

function within(thing: unknown, name: string): unknown {
  if (Array.isArray(thing)) return thing[Number(name)];
  return isRecord(thing) ? thing[name] : undefined;
}

function wrongValueFor(value: unknown): unknown {
  if (value === null || value === undefined) return { inesperado: true };
  return typeof value === 'string' ? { texto: value } : 'no soy lo que esperabas';
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/g;

/** Every time keeps its own way of writing and its own offset. */
function shiftTimes(text: string, shift: number): string {
  return text.replace(TIME, (whole, fraction: string | undefined, zone: string) => {
    const local = Date.parse(`${whole.slice(0, 19)}Z`) + shift;
    return `${new Date(local).toISOString().slice(0, 19)}${fraction ?? ''}${zone}`;
  });
}
