import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { StartError } from '../app/runtime.ts';

export const USUAL_PORT = 3000;
const TRIES = 100;

/** The requested port, 0 = any; without a request the usual one, or the next that is free. */
export async function choosePort(host: string, wanted: string | null): Promise<number> {
  const candidates =
    wanted === null
      ? Array.from({ length: TRIES }, (_, step) => USUAL_PORT + step)
      : [Number(wanted)];
  for (const candidate of candidates) {
    const port = await tryPort(host, candidate);
    if (port !== null) return port;
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

/** @returns the port that can be listened on now, null when this one cannot */
async function tryPort(host: string, port: number): Promise<number | null> {
  if (!(port >= 0 && port <= 65_535)) return null;
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return null;
  } finally {
    server.close();
  }
}
