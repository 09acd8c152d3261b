import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { StartError } from '../app/runtime.ts';
import type { Carrier, ServiceSlug } from '../carriers/contract.ts';

export interface SimulatedShop {
  /** The marketplace or the carrier. */
  readonly service: ServiceSlug;
  readonly url: string;
  readonly credentials: unknown;
  /**
   * Its part in the demo. `consent`: a seller consents at once. `typing`: a person types its
   * credentials. `waiting`: its paid orders wait for guides.
   */
  readonly role: 'consent' | 'typing' | 'waiting' | null;
}

interface Simulators {
  readonly shops: readonly SimulatedShop[];
  /** Gives a carrier its webhook address, as the seller would. */
  giveAddress(carrier: Carrier, address: string): void;
  close(): Promise<void>;
}

interface Addresses {
  /** They push to it. */
  readonly instance: string;
  /** A seller comes back to it. */
  readonly pages: string;
}

const PROGRAM = fileURLToPath(new URL('../../simulators/start.ts', import.meta.url));
const PATIENCE_MS = 3_000;

/**
 * Runs the simulated marketplaces and carriers in a process that ends with its standard input,
 * hence with this one however it ends. It has a session of its own: Ctrl-C reaches the instance
 * first.
 */
export async function startSimulators(
  { instance, pages }: Addresses,
  onLost: () => void,
): Promise<Simulators> {
  const child = spawn(process.execPath, [PROGRAM, '--client', instance, '--pages', pages], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const started: Record<string, Omit<SimulatedShop, 'service'>> = JSON.parse(
    await firstLine(child),
  );
  child.once('exit', onLost);
  return {
    shops: Object.entries(started).map(([slug, shop]) => ({
      ...shop,
      service: slug as ServiceSlug,
    })),
    giveAddress: (carrier, address) => void child.stdin.write(`${carrier} ${address}\n`),
    async close() {
      child.removeListener('exit', onLost);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      child.stdin.end();
      await once(child, 'exit');
      clearTimeout(timer);
    },
  };
}

async function firstLine(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<string> {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new StartError('Los marketplaces simulados no pudieron iniciar.');
}
