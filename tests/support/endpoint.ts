import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

interface Delivery {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly body: any;
}

/** A customer's endpoint. `answer` ends each response; unless said otherwise with 204. */
export interface TestEndpoint {
  readonly url: string;
  readonly deliveries: Delivery[];
  answer: (response: ServerResponse, delivery: Delivery) => unknown;
}

export async function openEndpoint(t: Pick<TestContext, 'after'>): Promise<TestEndpoint> {
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const { headers } = request;
    const delivery = { id: String(headers['webhook-id']), headers, text, body: JSON.parse(text) };
    deliveries.push(delivery);
    endpoint.answer(response, delivery);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const endpoint: TestEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    answer: (response) => response.writeHead(204).end(),
  };
  return endpoint;
}
