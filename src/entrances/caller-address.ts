import type { IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';

/** The key under which a request's caller is counted. */
export type CallerAddress = (request: IncomingMessage) => string;

/**
 * The nearest address of the connection and `X-Forwarded-For` that is not a trusted proxy.
 * @param trustedProxies addresses or CIDR blocks
 */
export function openCallerAddress(trustedProxies: readonly string[]): CallerAddress {
  const isTrusted = proxyAddr.compile(trustedProxies.flatMap(halvesOfAll));
  return (request) => addressKey(proxyAddr(request, isTrusted));
}

/** The address of the connection itself. */
export function addressOf(socket: Socket): string {
  return addressKey(socket.remoteAddress);
}

/** The library refuses a block of all addresses. */
function halvesOfAll(block: string): string[] {
  if (!block.endsWith('/0')) return [block];
  return isIPv6(block.slice(0, -2)) ? ['::/1', '8000::/1'] : ['0.0.0.0/1', '128.0.0.0/1'];
}

/**
 * IPv6 by its /64, which one customer of a network gets whole; its spelling does not count.
 * @param address absent of a connection that is closed
 */
function addressKey(address = ''): string {
  const plain = address.replace(/^::ffff:/, '');
  return isIPv6(plain)
    ? ipaddr.parse(plain).toNormalizedString().split(':').slice(0, 4).join(':')
    : plain;
}
