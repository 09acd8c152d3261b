import { randomBytes } from 'node:crypto';
import type { SourceShipment } from '../../carriers/contract.ts';
import { findService } from '../../carriers/registry.ts';
import { setDocument } from '../../connectors/answer-document.ts';
import type {
  Call,
  CallRequest,
  Read,
  SourceOrder,
  Stream,
  StreamName,
  StreamRequest,
  WireAnswer,
} from '../../connectors/contract.ts';
import type { SealedConnection } from '../../features/connections/index.ts';
import { parseLossless } from '../../platform/json.ts';
import { watchingTables } from '../../platform/word-table.ts';
import type { ExchangeParts } from '../parts.ts';
import { streamsOf } from '../streams.ts';
import { streamStoreOf } from '../sync/stream-stores.ts';
import type { CallObserver } from '../wire/call-state.ts';
import { asUpstream } from '../wire/errors.ts';
import { openConnection } from '../wire/open-connection.ts';
import { type Observed, observe } from './observed-document.ts';
import { redact } from './redact.ts';

export interface ProbedCall {
  readonly method: string;
  readonly path: string;
  /** Null = not sent, because the request would have changed something. */
  readonly status: number | null;
  /** In the answer, and read by no schema of ours. */
  readonly unknown_fields: readonly string[];
  /** Read by a schema of ours, and not in the answer. */
  readonly missing_fields: readonly string[];
}

export interface Probed {
  /** `check`, the name of a stream, or that and the one thing read: `orders/one`. */
  readonly read: string;
  readonly outcome: 'answered' | 'refused' | 'unreadable';
  /** Why there was no answer; technical. */
  readonly reason: string | null;
  readonly calls: readonly ProbedCall[];
  readonly items: number;
  readonly set_aside: readonly { readonly external_id: string | null; readonly reason: string }[];
  /** Words that no table of the connector has. */
  readonly unknown_words: readonly string[];
}

export interface KeptDocument {
  readonly name: string;
  /** Redacted JSON text. */
  readonly text: string;
}

export interface Probe {
  readonly reads: readonly Probed[];
  readonly documents: readonly KeptDocument[];
}

/**
 * The period of the lists. A first import reads a longer one; a probe reads one page of each list.
 */
const PERIOD = { hours: 24 * 30 };

/**
 * Makes each documented read of a connection once: the call that proves the access, the first page
 * of each stream, and the first thing of that page by itself. Stores nothing, and changes nothing
 * at the service.
 */
export async function probeConnection(
  parts: ExchangeParts,
  connection: SealedConnection,
): Promise<Probe> {
  const connector = findService(connection.service);
  if (!connector) throw new Error(`no connector for ${connection.service}`);
  const salt = randomBytes(16).toString('hex');
  const reads: Probed[] = [];
  const documents: KeptDocument[] = [];
  const probe = async (
    read: string,
    stream: StreamName | null,
    work: Work,
  ): Promise<string | null> => {
    const calls: SeenCall[] = [];
    const { call } = openConnection(parts, connection, { observer: watch(calls) });
    const { items, words, ...outcome } = await outcomeOf(connection.service, () => work(call));
    const unknown = stream === null ? [] : items.flatMap((item) => unknownIn(stream, item));
    reads.push({
      read,
      ...outcome,
      calls: calls.map(probedCall),
      items: items.length,
      set_aside: items.flatMap((item) =>
        item.ok ? [] : [{ external_id: item.externalId, reason: item.reason }],
      ),
      unknown_words: [...new Set([...words, ...unknown])].sort(),
    });
    for (const [index, { answer, document }] of calls.entries())
      if (answer && document !== null)
        documents.push({
          name: `${read.replace('/', '-')}-${index + 1}.json`,
          text: `${JSON.stringify(redact(document.given, salt), null, 2)}\n`,
        });
    return stream && firstIdOf(stream, items);
  };

  await probe('check', null, async (call) => {
    await connector.auth.check(call);
    return [];
  });
  for (const [name, stream] of streamsOf(connector)) {
    const first = await probe(name, name, async (call) => {
      const { items } = await stream.page(call, requestOf(parts, stream));
      return items;
    });
    if (first !== null && stream.one)
      await probe(`${name}/one`, name, async (call) => (await stream.one?.(call, first)) ?? []);
  }
  return { reads, documents };
}

type Work = (call: Call<unknown>) => Promise<readonly Read<unknown>[]>;

interface SeenCall {
  readonly request: CallRequest;
  /** Null = not sent, because the request would have changed something. */
  readonly answer: WireAnswer | null;
  /** Null = the answer is no JSON. */
  readonly document: (Observed & { readonly given: unknown }) | null;
}

/**
 * Sees each answer before it is read. A request that may change something is not sent, and gets an
 * empty answer.
 */
function watch(calls: SeenCall[]): CallObserver {
  return {
    instead(request) {
      if (request.method === 'GET' || request.reads || request.anonymous) return null;
      calls.push({ request, answer: null, document: null });
      return { status: 204, headers: {}, body: '' };
    },
    answered(request, answer) {
      const document = observedDocument(answer);
      if (document) setDocument(answer, document.document);
      calls.push({ request, answer, document });
    },
  };
}

function observedDocument({ body }: WireAnswer): SeenCall['document'] {
  try {
    const given = parseLossless(body);
    return { given, ...observe(given) };
  } catch {
    return null;
  }
}

function probedCall({ request, answer, document }: SeenCall): ProbedCall {
  const reading = document?.reading();
  return {
    method: request.method,
    path: request.path,
    status: answer?.status ?? null,
    unknown_fields: [...(reading?.unread ?? [])].sort(),
    missing_fields: [...(reading?.missing ?? [])].sort(),
  };
}

type Outcome = Pick<Probed, 'outcome' | 'reason'> & {
  readonly items: readonly Read<unknown>[];
  readonly words: ReadonlySet<string>;
};

async function outcomeOf(
  service: string,
  work: () => Promise<readonly Read<unknown>[]>,
): Promise<Outcome> {
  const words = new Set<string>();
  try {
    const items = await watchingTables(words, work);
    return { outcome: 'answered', reason: null, items, words };
  } catch (thrown) {
    const error = asUpstream(thrown, service);
    if (!error) throw thrown;
    return {
      outcome: error.kind === 'unreadable' ? 'unreadable' : 'refused',
      reason: error.message,
      items: [],
      words,
    };
  }
}

/** Words that the product would show as unknown. */
function unknownIn(stream: StreamName, read: Read<unknown>): string[] {
  if (!read.ok) return [];
  if (stream === 'orders') {
    const { status, marketplaceStatus } = read.item as SourceOrder;
    return status === 'unknown' ? [marketplaceStatus] : [];
  }
  if (stream !== 'shipments') return [];
  const { category, carrierStatus } = read.item as SourceShipment;
  return category === null ? [carrierStatus] : [];
}

function firstIdOf(stream: StreamName, items: readonly Read<unknown>[]): string | null {
  const first = items.find((read) => read.ok);
  return first?.ok ? streamStoreOf(stream).nameOf(first.item) : null;
}

function requestOf(
  { clock }: ExchangeParts,
  { pageSize = 1 }: Stream<unknown, unknown>,
): StreamRequest {
  const now = clock.now();
  return {
    window: { from: now.subtract(PERIOD), to: now },
    position: null,
    limit: pageSize,
    nonFinalIds: async () => [],
    deliveredIds: async () => [],
    states: async () => new Map(),
  };
}
