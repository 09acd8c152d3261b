import type { Mutant } from '../mutant.ts';

const DATABASE = 'tests/database.test.ts';
const CONNECTING = 'tests/connecting.test.ts';
const NOTICES = 'tests/clock-notices.test.ts';
const MEMBERS = 'tests/redis-members.test.ts';
const LOG = 'src/platform/log.test.ts';
const FAIR = 'tests/fair-writing.test.ts';

export const RECORDING: readonly Mutant[] = [
  {
    patch: 'lost-lock-believed',
    breaks: 'a lock that was lost with its connection counts as held',
    file: DATABASE,
    test: 'all locks of a process are lost with their one connection',
    says: /Missing expected exception/,
  },
  {
    patch: 'lock-between-processes-only',
    breaks: 'a lock does not exclude others of the same process',
    file: DATABASE,
    test: 'a lock keeps others waiting until its work ended',
    says: /deep-equal/,
  },
  {
    patch: 'lock-waited-for-in-the-server',
    breaks: 'a wait for one lock holds up all other locks of the process',
    file: DATABASE,
    test: 'a lock keeps other processes waiting until its work ended',
    says: /Query read timeout/,
  },
  {
    patch: 'overtaken-renewal-is-refused',
    breaks: 'who renews what another process is just renewing asks the seller to connect again',
    file: CONNECTING,
    test: 'a renewal that overtakes another one',
    says: /Missing expected rejection/,
  },
  {
    patch: 'refusal-without-the-lock',
    breaks: 'a refusal counts although another process may have renewed meanwhile',
    file: CONNECTING,
    test: 'a refusal of a renewal whose lock was lost',
    says: /Missing expected rejection/,
  },
  {
    patch: 'notice-inside-transaction',
    breaks:
      'each recording transaction takes the lock of notices, which is one for the whole server',
    file: NOTICES,
    test: '64 writers of 64 organisations',
    says: /sessions that waited for it/,
  },
  {
    patch: 'notice-before-commit',
    breaks: 'other processes hear of a change before it is committed',
    file: NOTICES,
    test: 'a notice leaves after the commit, never before',
    says: /deep-equal/,
  },
  {
    patch: 'exit-forgets-notices',
    breaks: 'a process that ends forgets the notices that it gathered',
    file: NOTICES,
    test: 'a process that closes sends what it gathered first',
    says: /deep-equal/,
  },
  {
    patch: 'cached-clock-never-ages',
    breaks: 'a change whose notice was lost stays unseen in other processes',
    file: NOTICES,
    test: 'a change whose notice was lost',
    says: /0 !== 1/,
  },
  {
    patch: 'old-notice-keeps-young',
    breaks: 'an old notice that is heard late makes a remembered clock young again',
    file: NOTICES,
    test: 'what is heard again and again',
    says: /deep-equal/,
  },
  {
    patch: 'writers-first-come',
    breaks: 'the first caller gets every connection that records',
    file: FAIR,
    test: 'an organisation whose recordings wait for one another',
    says: /recordings of one organisation at a time|not 8 sessions/,
  },
  {
    patch: 'receipts-among-recordings',
    breaks: 'what is pushed waits for the connections that record',
    file: FAIR,
    test: 'a webhook is stored while recordings of others hold',
    says: /deep-equal/,
  },
  {
    patch: 'cancel-waits-for-writers',
    breaks: 'a query is not cancelled while recordings hold their connections',
    file: FAIR,
    test: 'the query of a caller who left is cancelled while',
    says: /not 0 sessions/,
  },
  {
    patch: 'held-lock-is-final',
    breaks: 'a transaction that meets a lock that is held for long is not tried again',
    file: FAIR,
    test: 'a transaction that meets a lock that is held for long',
    says: /service_unavailable/,
  },
  {
    patch: 'lock-waited-for-without-end',
    breaks: 'a transaction waits for a lock for as long as it is held',
    file: FAIR,
    test: 'what writes waits three seconds for a lock',
    says: /deep-equal/,
  },
  {
    patch: 'connected-twice',
    breaks: 'two that connect one account at the same moment seal its credentials for two ids',
    file: CONNECTING,
    test: 'an account that is connected twice at the same moment',
    says: /strictly equal|deep-equal|nobody waits/,
  },
  {
    patch: 'shut-push-secret-stays',
    breaks: 'a secret for pushes that does not open stays for good',
    file: CONNECTING,
    test: 'connecting an account again replaces a secret for webhooks',
    says: /does not open/,
  },
  {
    patch: 'invitation-judged-once',
    breaks: 'an invitation counts although the person who sent it is removed meanwhile',
    file: 'tests/members.test.ts',
    test: 'an invitation accepted while its sender is being removed',
    says: /Missing expected rejection/,
  },
  {
    patch: 'members-by-own-clock',
    breaks: 'processes count one another by their own clocks',
    file: MEMBERS,
    test: 'processes whose clocks differ by minutes',
    says: /nobody/,
    needsRedis: true,
  },
  {
    patch: 'leaver-still-counted',
    breaks: 'a process that left takes a share of the quota',
    file: MEMBERS,
    test: 'a process that leaves is counted no more',
    says: /2 !== 1/,
    needsRedis: true,
  },
  {
    patch: 'clock-ahead-wins',
    breaks: 'a read by a process whose clock is ahead stands until that time has come',
    file: 'tests/recording.test.ts',
    test: 'what a process whose clock is ahead read is replaced',
    says: /'paid'/,
  },
  {
    patch: 'log-without-bound',
    breaks: 'lines that are not read fill the memory',
    file: LOG,
    test: 'while the output is blocked',
    says: /0 !== 1/,
  },
  {
    patch: 'dropped-lines-untold',
    breaks: 'no line says that log lines are missing',
    file: LOG,
    test: 'while the output is blocked',
    says: /timed out/,
  },
  {
    patch: 'forgotten-ahead-ignored',
    breaks: 'an order that comes after its buyer was forgotten names the buyer',
    file: 'tests/connectors/shopify.test.ts',
    test: 'a buyer who was forgotten before their order came stays forgotten',
    says: /Rosa P\./,
  },
  {
    patch: 'forgotten-ahead-only-once',
    breaks: 'the next version of such an order names the buyer again',
    file: 'tests/connectors/shopify.test.ts',
    test: 'a buyer who was forgotten before their order came stays forgotten',
    says: /from now on the order itself says so/,
  },
  {
    patch: 'forgotten-ahead-not-noted',
    breaks: 'orders that are not stored yet are not noted as forgotten',
    file: 'tests/connectors/shopify.test.ts',
    test: 'a buyer who was forgotten before their order came stays forgotten',
    says: /falsy value|false == true/,
  },
  {
    patch: 'failed-push-waits-for-ever',
    breaks:
      'the receipt of a push that failed by our own fault reads as if it had never been tried',
    file: 'tests/notifications.test.ts',
    test: 'a notification that fails by our own fault',
    says: /"waiting":1/,
  },
];
