/** Documents of a file or a folder, served as Walmart would serve them. What a document is, its shape says. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, parseExactly, textOf } from '../exact-json.ts';
import type { Generation } from './facts.ts';
import type { Row } from './shop.ts';

export interface Replayed {
  readonly orders: readonly Row[];
  readonly returns: readonly Row[];
}

export async function openReplay(path: string, generation: Generation): Promise<Replayed> {
  const files = (await stat(path)).isDirectory()
    ? (await readdir(path)).sort().map((file) => join(path, file))
    : [path];
  const found = { orders: [] as Row[], returns: [] as Row[] };
  for (const file of files) {
    if (file.endsWith('.json')) keep(parseExactly(await readFile(file, 'utf8')), generation, found);
  }
  return found;
}

function keep(document: unknown, generation: Generation, found: { orders: Row[]; returns: Row[] }): void {
  if (Array.isArray(document)) {
    for (const one of document) keep(one, generation, found);
    return;
  }
  if (!isRecord(document)) return;
  if ('returnOrderId' in document) {
    found.returns.push(rowOf(document, textOf(document.returnOrderId)));
  } else if ('customerOrderId' in document && 'orderLines' in document) {
    const isLegacy = Array.isArray(document.orderLines);
    const id = textOf(document.purchaseOrderId);
    if (isLegacy === (generation === 'legacy')) found.orders.push(rowOf(document, id));
  } else {
    for (const one of Object.values(document)) keep(one, generation, found);
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
