/** Redis for several processes to count in. */
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { type Ending, eventually, follow, type Running } from './processes.ts';

export interface RedisServer {
  readonly url: string;
  crash(): Promise<void>;
  /** On the same port, empty. */
  start(): Promise<void>;
}

const hasBinary = spawnSync('redis-server', ['--version']).status === 0;

/** Why a test that needs Redis cannot run here; false when it can. */
export const noRedis: string | false =
  hasBinary || process.env.REDIS_URL
    ? false
    : 'needs Redis: no REDIS_URL is set and no redis-server is found';
/** The same for a test that kills it. */
export const noRedisToKill: string | false = hasBinary
  ? false
  : 'needs a redis-server binary to kill';

/** A server of the test's own where there is a binary, else that of REDIS_URL. */
export async function openRedis(t: Ending): Promise<RedisServer> {
  if (!hasBinary) return { url: process.env.REDIS_URL as string, crash: notOurs, start: notOurs };
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let running: Running;
  const start = async () => {
    const args = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
    ];
    running = follow(t, spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'pipe'] }));
    if (!(await eventually(() => answers(url), 60_000)))
      throw new Error(`redis-server did not start:\n${running.lines.join('\n')}`);
  };
  await start();
  return { url, start, crash: async () => void (await running.end('SIGKILL')) };
}

async function notOurs(): Promise<never> {
  throw new Error('this Redis is not ours to kill');
}

async function answers(url: string): Promise<boolean> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

/**
 * Below the ports that systems give to outgoing connections: one of those would take the place of a
 * server that was killed before it is started again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
