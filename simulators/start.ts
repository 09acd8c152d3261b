/** All simulators at once: in-process for tests, or as a program for the demo. */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type MercadoLibre, type MercadoLibreOptions, startMercadoLibre } from './mercado_libre/index.ts';

export interface SimulatorsOptions {
  seed?: string | number;
  now?: () => number;
  mercado_libre?: MercadoLibreOptions;
}

export interface Simulators {
  readonly mercado_libre: MercadoLibre;
  close(): Promise<void>;
}

export async function startSimulators({
  mercado_libre,
  ...shared
}: SimulatorsOptions = {}): Promise<Simulators> {
  const mercadoLibre = await startMercadoLibre({ ...shared, ...mercado_libre });
  return { mercado_libre: mercadoLibre, close: () => mercadoLibre.close() };
}

const DEMO_PAST = { orders: 100, days: 28 };
/** A cart every 8 s, and an hour of its life lasts 2 s: from placed to delivered within minutes. */
const DEMO_PACE = { every: 8_000, hour: 2_000 };
const DEMO_NOTIFIES_EVERY = 2_000;

/** Prints one line of JSON when ready. Ends with its standard input, so it never outlives whoever started it. */
async function demo(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: 'tianguis' },
      'redirect-uri': { type: 'string' },
      notify: { type: 'string' },
    },
  });
  const redirectUri = values['redirect-uri'];
  const { mercado_libre, close } = await startSimulators({
    seed: values.seed,
    mercado_libre: redirectUri ? { application: { redirectUri } } : {},
  });
  mercado_libre.world.fill(DEMO_PAST);
  mercado_libre.world.flow(DEMO_PACE);
  if (values.notify) {
    mercado_libre.notifications.notifyTo(values.notify);
    mercado_libre.notifications.every(DEMO_NOTIFIES_EVERY);
  }

  // Closing leaves nothing that keeps the process alive.
  const end = () => {
    process.stdin.destroy();
    void close();
  };
  process.once('SIGTERM', end).once('SIGINT', end);
  process.stdin.once('end', end).once('close', end).resume();
  const { url } = mercado_libre;
  console.log(JSON.stringify({ mercado_libre: { url, credentials: mercado_libre.credentials() } }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await demo();
