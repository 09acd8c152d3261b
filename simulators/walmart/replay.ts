/**
 * Documents of a file or a folder, served as Walmart would serve them. What a document is, its
 * shape says.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, parseExactly, textOf } from '../exact-json.ts';
import type { Generation } from './facts.ts';
import type { Row } from './shop.ts';

interface Replayed {
  readonly orders: Readonly<Record<Generation, readonly Row[]>>;
  readonly returns: readonly Row[];
}

export async function openReplay(path: string): Promise<Replayed> {
  const files = (await stat(path)).isDirectory()
    ? (await readdir(path)).sort().map((file) => join(path, file))
    : [path];
  const found: Found = { orders: { legacy: [], global: [] }, returns: [] };
  for (const file of files) {
    if (file.endsWith('.json')) keep(parseExactly(await readFile(file, 'utf8')), found);
  }
  return found;
}

interface Found {
  readonly orders: Record<Generation, Row[]>;
  readonly returns: Row[];
}

function keep(document: unknown, found: Found): void {
  if (Array.isArray(document)) {
    for (const one of document) keep(one, found);
    return;
  }
  if (!isRecord(document)) return;
  if ('returnOrderId' in document) {
    found.returns.push(rowOf(document, textOf(document.returnOrderId)));
  } else if ('customerOrderId' in document && 'orderLines' in document) {
    const generation = Array.isArray(document.orderLines) ? 'legacy' : 'global';
    found.orders[generation].push(rowOf(document, textOf(document.purchaseOrderId)));
  } else {
    for (const one of Object.values(document)) keep(one, found);
  }
}

function rowOf(document: Record<string, unknown>, id: string | null): Row {
  const customerOrderId = textOf(document.customerOrderId) ?? '';
  const node = isRecord(document.shipNode) ? document.shipNode.type : null;
  return {
    id: id ?? customerOrderId,
    customerOrderId,
    isWfs: id === null || node === 'WFSFulfilled',
    createdAt: null,
    changedAt: null,
    status: null,
    document: () => document,
  };
}
