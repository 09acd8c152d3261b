import { KEY_PREFIX } from '../platform/api-key.ts';
import { DOWNLOADS } from './export-links.ts';

/**
 * The path of a request for the log: without its query, where a receiver's secret travels, and
 * without a download's link or a key that is in the path.
 */
export function loggedPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  if (path.startsWith(DOWNLOADS)) return `${DOWNLOADS}…`;
  return path.includes(KEY_PREFIX) ? path.replace(/tgs_\w*/g, `${KEY_PREFIX}…`) : path;
}
