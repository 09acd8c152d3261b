import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createAppRole, OWNER, writeAccess } from './embedded-access.ts';
import { checkVersion, createCluster, noteVersion, removeLeftovers } from './embedded-cluster.ts';
import { EmbeddedError, type Log } from './embedded-error.ts';
import { claimSocket, type EmbeddedPaths, PORT, usableBinaries } from './embedded-paths.ts';
import {
  findPostmaster,
  lastWords,
  openLog,
  PATIENCE_MS,
  POLL_MS,
  pidFile,
  removeStaleLocks,
  spawnPostmaster,
} from './embedded-postmaster.ts';

export const DATABASE = 'tianguis';

/** Starts the server of this folder, or joins one that runs; returns when it answers. */
export async function ensureRunning(paths: EmbeddedPaths, log: Log): Promise<void> {
  checkVersion(paths);
  claimSocket(paths);
  if (fs.existsSync(paths.cluster)) refreshAccess(paths);
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const postmaster = findPostmaster(paths);
    // With a pid file but no visible process, it may run in another container that shares the
    // folder.
    const mayAnswer = postmaster ? postmaster.status === 'ready' : fs.existsSync(pidFile(paths));
    if (mayAnswer && (await answers(paths))) return;
    if (!postmaster) await start(paths, log, deadline);
    await sleep(POLL_MS);
  }
  throw new EmbeddedError(
    `PostgreSQL no respondió a tiempo en ${paths.home}. Últimas líneas de su bitácora:${lastWords(paths)}`,
  );
}

function refreshAccess(paths: EmbeddedPaths): void {
  const postmaster = writeAccess(paths.cluster, paths.as) && findPostmaster(paths);
  if (postmaster) process.kill(postmaster.pid, 'SIGHUP');
}

const NOT_YET = [undefined, 'ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P03'];

async function answers(paths: EmbeddedPaths): Promise<boolean> {
  try {
    await asOwner(paths, DATABASE, createAppRole);
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === '53300') return true; // too many clients: alive
    if (NOT_YET.includes(code)) return false;
    if (code !== '3D000') throw error;
    await asOwner(paths, 'postgres', createDatabase);
    return true;
  }
}

async function createDatabase(client: Client): Promise<void> {
  await client.query(`create database ${DATABASE}`);
  await createAppRole(client);
}

async function asOwner(
  paths: EmbeddedPaths,
  database: string,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const address = { host: paths.socket, port: PORT, user: OWNER, database };
  const client = new Client({ ...address, ssl: false, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {}); // a connection cut while idle; the next query fails
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}

async function start(paths: EmbeddedPaths, log: Log, deadline: number): Promise<void> {
  removeLeftovers(paths.home);
  const bin = usableBinaries(paths, log);
  if (!fs.existsSync(paths.cluster)) await createCluster(paths, bin);
  removeStaleLocks(paths);

  const output = openLog(paths);
  const spoken = fs.fstatSync(output).size;
  const postmaster = spawnPostmaster(paths, bin, output);
  fs.closeSync(output);
  let hasEnded = false;
  for (const end of ['exit', 'error']) postmaster.once(end, () => (hasEnded = true));
  while (!hasEnded && findPostmaster(paths)?.status !== 'ready' && performance.now() < deadline) {
    await sleep(POLL_MS);
  }

  const words = lastWords(paths, spoken);
  if (hasEnded && !FORMER_RUN.some((sign) => words.includes(sign))) {
    throw new EmbeddedError(
      `PostgreSQL no pudo iniciar en ${paths.home}. Últimas líneas de su bitácora:${words}`,
    );
  }
  noteVersion(paths);
}

/**
 * Said while backends of a killed postmaster still hold the folder, or a former start is not
 * visible yet.
 */
const FORMER_RUN = ['pre-existing shared memory block', '" already exists'];
