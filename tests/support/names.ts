import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIPv6 } from 'node:net';
import type { TestContext } from 'node:test';

/** Names mean what the test says. @returns the names that were requested */
export function answerNames(t: TestContext, meaning: (name: string) => string[]): string[] {
  const asked: string[] = [];
  const lookup = (
    name: string,
    options: dns.LookupOptions,
    done: (...answer: unknown[]) => void,
  ) => {
    asked.push(name);
    const found = meaning(name).map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    setImmediate(() => {
      if (options.all) done(null, found);
      else done(null, found[0]?.address, found[0]?.family);
    });
  };
  t.mock.method(dns, 'lookup', lookup as never);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.reset();
    syncBuiltinESMExports();
  });
  return asked;
}
