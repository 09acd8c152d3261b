/** What a process holds, as Linux counts it. */
import { readFileSync } from 'node:fs';

/** Resident memory. */
export function megabytesOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
