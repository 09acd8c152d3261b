import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { StartError } from '../app/runtime.ts';

export const USUAL_PORT = 3000;
const TRIES = 100;

/** No other program can take it; `holder` drops connections until another server takes over. */
export interface HeldPort {
  readonly port: number;
  readonly holder: Server;
}

/** Holds the requested port, 0 = any; without a request the usual one, or the next that is free. */
export async function holdPort(host: string, wanted: string | null): Promise<HeldPort> {
  const candidates =
    wanted === null
      ? Array.from({ length: TRIES }, (_, step) => USUAL_PORT + step)
      : [Number(wanted)];
  for (const candidate of candidates) {
    const held = await tryPort(host, candidate);
    if (held !== null) return held;
  }
  throw new StartError(
    wanted === null
      ? `No hay un puerto libre desde el ${USUAL_PORT}. Elige uno con PORT, o deja HOST sin indicar.`
      : `El puerto ${wanted} está ocupado o no se puede usar. Elige otro con PORT, por ejemplo PORT=8080 npm run demo.`,
  );
}

export function addressAt(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** @returns null when this one cannot be listened on */
async function tryPort(host: string, port: number): Promise<HeldPort | null> {
  if (!(port >= 0 && port <= 65_535)) return null;
  const holder = createServer((socket) => socket.destroy()).listen(port, host);
  try {
    await once(holder, 'listening');
    return { port: (holder.address() as AddressInfo).port, holder };
  } catch {
    return null;
  }
}
