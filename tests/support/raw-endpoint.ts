import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';

/** A customer's endpoint below HTTP: `answer` gets the connection once a request has begun. */
export async function openRawEndpoint(
  t: Pick<TestContext, 'after'>,
  answer: (socket: Socket) => unknown,
): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  return `http://${await listen(t, server)}/hook`;
}

/** One whose certificate is this; by TLS it answers 204. */
export async function openTlsEndpoint(
  t: Pick<TestContext, 'after'>,
  pair: { readonly key: string; readonly cert: string },
): Promise<string> {
  const server = createTlsServer(pair, (socket) => {
    socket.on('error', () => {});
    socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  });
  return `https://${(await listen(t, server)).replace('127.0.0.1', 'localhost')}/hook`;
}

async function listen(t: Pick<TestContext, 'after'>, server: Server): Promise<string> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => open.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A certificate that its own key signs. @param until `YYMMDD` */
export function ownCertificate(host: string, until: string): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
  const name = der(
    0x30,
    der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(host)))),
  );
  const days = ['200101', until].map((day) => der(0x17, Buffer.from(`${day}000000Z`)));
  const names = der(0x30, der(0x82, Buffer.from(host)));
  const extension = der(0x30, Buffer.from('0603551d11', 'hex'), der(0x04, names));
  const content = der(
    0x30,
    Buffer.from('a003020102020101', 'hex'),
    ...[algorithm, name, der(0x30, ...days), name],
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const whole = der(0x30, content, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** One value of ASN.1: its tag, its length, and what is in it. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
