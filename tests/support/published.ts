/** What `tests/spec/published.txt` holds of the two APIs. */
import { existsSync, readFileSync } from 'node:fs';
import { MANAGE } from '../../src/entrances/rest/manage/manage.ts';
import { openApiDocument } from '../../src/entrances/rest/openapi.ts';
import type { Api } from '../../src/entrances/rest/operation.ts';
import { V1 } from '../../src/entrances/rest/v1.ts';
import { contractLines } from './contract-lines.ts';
import { UNNAMED } from './operator.ts';

const FILE = 'tests/spec/published.txt';

/** The lines that were published. */
export function readPublished(): string[] {
  if (!existsSync(FILE)) return [];
  return readFileSync(FILE, 'utf8').split('\n').filter(Boolean);
}

/** The lines of the APIs as they are now. */
export function presentLines(): string[] {
  return [V1, MANAGE].flatMap(linesOf);
}

/** The file's text with what was added since; no line is ever taken out. */
export function publishedLines(): string {
  const all = new Set([...readPublished(), ...presentLines()]);
  return `${[...all].sort().join('\n')}\n`;
}

function linesOf(api: Api): string[] {
  const document = openApiDocument(api, 'http://localhost:3000', UNNAMED);
  return contractLines(JSON.parse(JSON.stringify(document)));
}
