import type { Mutant } from '../mutant.ts';

const REPLICA = 'tests/reliability/replica.test.ts';
const POOLER = 'tests/reliability/pooler.test.ts';

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
  {
    patch: 'pooled-statements-have-names',
    breaks: 'statements are prepared in a session that the next transaction does not have',
    file: POOLER,
    test: 'through PgBouncer in transaction mode',
    says: /prepared statement|500/,
  },
  {
    patch: 'pooled-readers-may-write',
    breaks: 'a reader through a pooler may write',
    file: POOLER,
    test: 'readers cannot write there',
    says: /'on'/,
  },
  {
    patch: 'pooled-settings-stay',
    breaks: 'the settings of a reader stay in a session that a writer gets',
    file: POOLER,
    test: 'readers cannot write there',
    says: /3s|'0'|enable_seqscan|'off'/,
  },
  {
    patch: 'pooled-cancel-hits-nothing',
    breaks: 'a cancel names a process that only the pooler knows',
    file: POOLER,
    test: 'a query of a closed request',
    says: /Missing expected rejection/,
  },
  {
    patch: 'absent-server-stops-planning',
    breaks: 'while a server of data is away no recurring task of any organisation becomes a job',
    file: 'tests/schedules.test.ts',
    test: 'a search of all organisations that fails',
    says: /does not exist/,
  },
];
