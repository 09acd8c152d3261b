/** What a process holds, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory. */
export function megabytesOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Open files and connections. */
export function descriptorsOf(pid: number | undefined): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
