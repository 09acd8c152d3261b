/** Folders of other people's JSON documents, which simulators serve in place of their world. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseExactly } from './exact-json.ts';

/**
 * Shows each JSON file below a folder to `keep`, in the order of their names; what is no JSON after
 * all is null.
 * @returns the files of which `keep` said that nothing in them is served
 */
export async function readFolder(
  folder: string,
  keep: (document: unknown) => boolean,
): Promise<string[]> {
  const ignored: string[] = [];
  for (const file of (await readdir(folder, { recursive: true })).sort()) {
    if (!file.endsWith('.json')) continue;
    if (!keep(readDocument(await readFile(join(folder, file), 'utf8')))) ignored.push(file);
  }
  return ignored;
}

function readDocument(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return null;
  }
}
