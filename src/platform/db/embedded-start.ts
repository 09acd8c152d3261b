import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createAppRole, OWNER, writeAccess } from './embedded-access.ts';
import { checkVersion, createCluster, noteVersion, removeLeftovers } from './embedded-cluster.ts';
import { EmbeddedError, type Log } from './embedded-error.ts';
import { claimSocket, type Place, PORT, usableBinaries } from './embedded-place.ts';
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
export async function ensureRunning(place: Place, log: Log): Promise<void> {
  checkVersion(place);
  claimSocket(place);
  if (fs.existsSync(place.cluster)) refreshAccess(place);
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const postmaster = findPostmaster(place);
    // With a pid file but no visible process, it may run in another container that shares the
    // folder.
    const mayAnswer = postmaster ? postmaster.status === 'ready' : fs.existsSync(pidFile(place));
    if (mayAnswer && (await answers(place))) return;
    if (!postmaster) await start(place, log, deadline);
    await sleep(POLL_MS);
  }
  throw new EmbeddedError(
    `PostgreSQL no respondió a tiempo en ${place.home}. Últimas líneas de su bitácora:${lastWords(place)}`,
  );
}

function refreshAccess(place: Place): void {
  const postmaster = writeAccess(place.cluster, place.as) && findPostmaster(place);
  if (postmaster) process.kill(postmaster.pid, 'SIGHUP');
}

const NOT_YET = [undefined, 'ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P03'];

async function answers(place: Place): Promise<boolean> {
  try {
    await asOwner(place, DATABASE, createAppRole);
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === '53300') return true; // too many clients: alive
    if (NOT_YET.includes(code)) return false;
    if (code !== '3D000') throw error;
    await asOwner(place, 'postgres', createDatabase);
    return true;
  }
}

async function createDatabase(client: Client): Promise<void> {
  await client.query(`create database ${DATABASE}`);
  await createAppRole(client);
}

async function asOwner(
  place: Place,
  database: string,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const address = { host: place.socket, port: PORT, user: OWNER, database };
  const client = new Client({ ...address, ssl: false, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {}); // a connection cut while idle; the next query fails
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}

async function start(place: Place, log: Log, deadline: number): Promise<void> {
  removeLeftovers(place.home);
  const bin = usableBinaries(place, log);
  if (!fs.existsSync(place.cluster)) await createCluster(place, bin);
  removeStaleLocks(place);

  const output = openLog(place);
  const spoken = fs.fstatSync(output).size;
  const postmaster = spawnPostmaster(place, bin, output);
  fs.closeSync(output);
  let hasEnded = false;
  for (const end of ['exit', 'error']) postmaster.once(end, () => (hasEnded = true));
  while (!hasEnded && findPostmaster(place)?.status !== 'ready' && performance.now() < deadline) {
    await sleep(POLL_MS);
  }

  const words = lastWords(place, spoken);
  if (hasEnded && !FORMER_RUN.some((sign) => words.includes(sign))) {
    throw new EmbeddedError(
      `PostgreSQL no pudo iniciar en ${place.home}. Últimas líneas de su bitácora:${words}`,
    );
  }
  noteVersion(place);
}

/**
 * Said while backends of a killed postmaster still hold the folder, or a former start is not
 * visible yet.
 */
const FORMER_RUN = ['pre-existing shared memory block', '" already exists'];
