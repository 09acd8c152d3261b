import type { Mutant } from '../mutant.ts';

const REPLICA = 'tests/reliability/replica.test.ts';

export const SERVERS: readonly Mutant[] = [
  {
    patch: 'replica-page-under-the-primary-clock',
    breaks: 'a page of a replica that lags has the as_of of the primary',
    file: REPLICA,
    test: 'a client that follows changes over a replica',
    says: /missed: /,
  },
  {
    patch: 'walk-continues-on-a-replica-behind',
    breaks: 'a further page is read on a replica that does not show all that the walk covers',
    file: REPLICA,
    test: 'a walk that began on the primary',
    says: /all that the walk covers/,
  },
  {
    patch: 'replica-gone-fails-lists',
    breaks: 'a list fails while the replica is gone',
    file: REPLICA,
    test: 'with a replica that is gone or hangs',
    says: /service_unavailable/,
  },
];
