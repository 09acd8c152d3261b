import type { ConnectedService } from '../carriers/registry.ts';
import { boundedEach } from '../connectors/bounds.ts';
import { type Call, STREAMS, type Stream, type StreamName } from '../connectors/contract.ts';

interface StreamFacts {
  /** In Spanish, to begin a sentence with. */
  readonly title: string;
  /**
   * A refusal of a vital stream concerns the whole connection. Any other stream stops alone, and
   * the orders go on.
   */
  readonly isVital: boolean;
}

const FACTS: Readonly<Record<StreamName, StreamFacts>> = {
  orders: { title: 'Órdenes', isVital: true },
  inventory: { title: 'Inventario', isVital: false },
  balances: { title: 'Saldos', isVital: false },
  settlements: { title: 'Liquidaciones', isVital: false },
  invoices: { title: 'Facturas', isVital: false },
  shipments: { title: 'Envíos', isVital: true },
};

export function factsOf(name: StreamName): StreamFacts {
  return FACTS[name];
}

/**
 * A stream whose items are within bounds; items beyond them become unreadable rows.
 * @returns null where the service does not offer the stream
 */
export function streamOf(
  connector: ConnectedService,
  name: StreamName,
): Stream<unknown, unknown> | null {
  const stream = connector[name] as Stream<unknown, unknown> | undefined;
  if (!stream) return null;
  const { page, one } = stream;
  return {
    ...stream,
    async page(call, request) {
      const found = await page(call, request);
      return { ...found, items: found.items.flatMap(boundedEach) };
    },
    ...(one && {
      one: async (call: Call<unknown>, id: string) => (await one(call, id)).flatMap(boundedEach),
    }),
  };
}

/** The streams that a service offers, orders first. */
export function streamsOf(connector: ConnectedService): [StreamName, Stream<unknown, unknown>][] {
  return STREAMS.flatMap((name) => {
    const stream = streamOf(connector, name);
    return stream ? [[name, stream]] : [];
  });
}
