import type { Settings } from '../platform/config.ts';

/** The addresses at which clients reach us. With port 0 they are known once the server listens. */
export interface Addresses {
  readonly publicUrl: () => string;
  readonly mcpUrl: () => string;
  /** The server listens on this port. */
  setPort(port: number): void;
}

export function openAddresses({ publicUrl, mcpUrl }: Settings): Addresses {
  let listening: number | null = null;
  const withPort = (url: string) =>
    listening === null ? url : url.replace(/:0(?=\/|$)/, `:${listening}`);
  return {
    publicUrl: () => withPort(publicUrl),
    mcpUrl: () => withPort(mcpUrl),
    setPort(port) {
      listening = port;
    },
  };
}

/** The address of this process on its own machine. */
export function localUrl(host: string, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name === '0.0.0.0' ? '127.0.0.1' : name}:${port}`;
}
