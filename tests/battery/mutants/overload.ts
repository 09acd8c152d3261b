import type { Mutant } from '../mutant.ts';

const OVERLOAD = 'tests/reliability/overload.test.ts';
const SOAK = 'tests/reliability/soak.test.ts';

export const OVERLOADED: readonly Mutant[] = [
  {
    patch: 'line-without-end',
    breaks: 'the line for the database grows until those in it are of no use to anyone',
    file: OVERLOAD,
    test: '3 times as many requests',
    says: /served after/,
  },
  {
    patch: 'longest-backlog-stays',
    breaks: 'a flood of others refuses an organisation that asks now and then',
    file: OVERLOAD,
    test: '3 times as many requests',
    says: /503/,
  },
  {
    patch: 'each-reads-the-stamp',
    breaks: 'where readers wait in line each request reads the clock of its organisation, too',
    file: OVERLOAD,
    test: '3 times as many requests',
    says: /goodput fell/,
  },
  {
    patch: 'refused-after-the-look',
    breaks: 'a request that is refused first waits for the clock of its organisation',
    file: 'tests/stamp-cache.test.ts',
    test: 'a request that would share a reading is refused at once',
    says: /Missing expected rejection/,
  },
  {
    patch: 'request-is-kept',
    breaks: 'the context of each request is kept for ever',
    file: SOAK,
    test: '6 rounds of 1 s at half the capacity',
    says: /the heap grew/,
  },
  {
    patch: 'listener-of-each-request',
    breaks: 'each webhook leaves a listener on the process',
    file: SOAK,
    test: '6 rounds of 1 s at half the capacity',
    says: /listeners are left/,
  },
];
