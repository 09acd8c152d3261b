/**
 * The thirteen attacks that once broke something, and the tests that try each again: files, and how
 * the names of the tests in them begin. `npm run battery -- attacks` tries them and says of each
 * whether it held.
 */
export interface Attack {
  readonly number: number;
  readonly name: string;
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

const SECURITY = 'tests/account-security.test.ts';
const ACCOUNTS = 'tests/people.test.ts';

export const ATTACKS: readonly Attack[] = [
  {
    number: 1,
    name: 'another user of the machine enters the embedded database',
    tests: {
      'tests/reliability/embedded-rights.test.ts': [
        'no other user of the machine enters',
        'the running service is no superuser',
        'a data folder of before goes to its own user',
      ],
    },
  },
  {
    number: 2,
    name: 'a password alone makes an API key',
    tests: {
      [SECURITY]: ['a password alone makes no key', 'a password that was changed inside a session'],
    },
  },
  {
    number: 3,
    name: 'an address is registered before its owner does',
    tests: {
      [SECURITY]: [
        'a registration does not survive a later one',
        'the mail of a stranger’s registration confirms nothing',
        'a person who registers an address after its owner',
        'a link of an operator for an address that a stranger registered',
        'a password chosen by mail ends sessions',
      ],
    },
  },
  {
    number: 4,
    name: 'forged notifications of Mercado Libre fill the disk and the queue',
    tests: {
      'tests/reliability/forged-pushes.test.ts': [''],
      'tests/notifications.test.ts': [
        'webhooks beyond a connection’s budget',
        'of an unsigned webhook only its known fields are stored',
        'a notification of',
      ],
      'tests/reliability/queue.test.ts': ['webhooks of one connection'],
    },
  },
  {
    number: 5,
    name: 'a hostile store exhausts the process',
    tests: {
      'tests/attacks/hostile-store.test.ts': [''],
      'tests/attacks/hostile-memory.test.ts': [''],
      'tests/architecture.test.ts': [
        'connectors and carriers ask page after page',
        'rows of a foreign list',
      ],
      'src/exchange/wire/budget.test.ts': [''],
    },
  },
  {
    number: 6,
    name: 'an installation runs what no lockfile names',
    tests: { 'tests/supply-chain.test.ts': [''] },
  },
  {
    number: 7,
    name: 'a regular expression stops the event loop',
    tests: { 'tests/attacks/slow-expressions.test.ts': [''] },
  },
  {
    number: 8,
    name: 'a stolen session adds a passkey',
    tests: {
      [SECURITY]: [
        'a stolen session adds no passkey',
        'a confirmation that is minutes old',
        'a password alone neither removes a passkey',
      ],
    },
  },
  {
    number: 9,
    name: 'an agent’s odd call is a 500 that costs no quota',
    tests: {
      'tests/mcp.test.ts': [
        'a tool whose name is no text',
        'what is refused before it is read is one of the quota',
      ],
    },
  },
  {
    number: 10,
    name: 'an answer, or its time, reveals who has an account',
    tests: {
      [SECURITY]: [
        'after registering, signing in reveals nothing',
        'an unknown, unconfirmed or confirmed address',
        'a forgotten password is looked up by the job',
      ],
      'tests/attacks/times.test.ts': [''],
    },
  },
  {
    number: 11,
    name: 'a stranger writes words into our mails',
    tests: {
      [SECURITY]: ['an invitation carries no words'],
      [ACCOUNTS]: ['a stranger’s text is in no mail'],
    },
  },
  {
    number: 12,
    name: 'a flood of passwords shuts out who signed in before',
    tests: {
      [SECURITY]: [
        'a flood of strangers shuts out strangers alone',
        'a signed-in person confirms with the password',
        'five attempts of one account wait at most',
      ],
      [ACCOUNTS]: ['a browser that signed in before stays welcome'],
    },
  },
  {
    number: 13,
    name: 'the small ones: sessions and documents in clear, silent starts, two hosts, two answers, cookies',
    tests: {
      [SECURITY]: ['a session’s row opens nothing'],
      'tests/sealed-documents.test.ts': ['a dump of the database shows no address'],
      'tests/operator-warnings.test.ts': ['a service that is open to the network'],
      'tests/spec/errors.test.ts': ['two Host headers'],
      'tests/spec/limits.test.ts': ['a body that never comes to its end'],
      [ACCOUNTS]: ['over https cookies are Secure'],
    },
  },
];
