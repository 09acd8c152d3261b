import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const FIRST_ROWS = 50;

/** A page of plain rows without style or script, the ceiling of any list: 50 rows, or all of them. */
export interface BarePage {
  readonly first: string;
  readonly whole: string;
}

export async function serveBarePage(
  rows: number,
  closing: AsyncDisposableStack,
): Promise<BarePage> {
  const [first, whole] = [pageOf(FIRST_ROWS), pageOf(rows)];
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(request.url === '/whole' ? whole : first);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { first: `${url}/`, whole: `${url}/whole` };
}

function pageOf(rows: number): string {
  const cells = Array.from(
    { length: rows },
    (_, at) =>
      `<tr><td>20000${at}<td>20 nov 2026, 4:15 p.m.<td>Mercado Libre<td>Pagada<td>Ana<td>1 × Taza azul de barro<td>$1,234.50 MXN`,
  );
  return `<!doctype html><html lang="es"><title>Órdenes</title><h1>Órdenes</h1><table>${cells.join('\n')}</table>`;
}
