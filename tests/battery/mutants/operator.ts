import type { Mutant } from '../mutant.ts';

const CLI = 'tests/cli.test.ts';
const DATABASE = 'tests/database.test.ts';
const DEMO = 'tests/demo-troubles.test.ts';
const FULL_DISK = 'tests/reliability/full-disk.test.ts';
const HELP = 'tests/help.test.ts';
const RIGHTS = 'tests/reliability/embedded-rights.test.ts';
const TROUBLES = 'tests/cli-troubles.test.ts';
const VERSION_END = 'tests/version-end.test.ts';
const WARNINGS = 'tests/operator-warnings.test.ts';

export const OPERATOR: readonly Mutant[] = [
  {
    patch: 'database-trusts-everyone',
    breaks: 'each user that reaches the socket of the embedded database is its superuser',
    file: RIGHTS,
    test: 'no other user of the machine enters',
    says: /entered/,
  },
  {
    patch: 'service-owns-the-database',
    breaks: 'the running service works as the superuser',
    file: RIGHTS,
    test: 'the running service is no superuser',
    says: /\+ {5}role: 'tianguis'/,
  },
  {
    patch: 'former-owner-stays',
    breaks: 'an earlier data folder stays with the shared user nobody',
    file: RIGHTS,
    test: 'a data folder of before goes to its own user',
    says: /es de otro usuario/,
  },
  {
    patch: 'full-disk-is-ready',
    breaks: '/readyz says that all is well on a full disk',
    file: FULL_DISK,
    test: 'on a full disk nothing is accepted',
    says: /readyz says 200/,
  },
  {
    patch: 'full-disk-leaves-an-orphan',
    breaks: 'a stop that cannot write its register leaves PostgreSQL running',
    file: FULL_DISK,
    test: 'a service that stops on a full disk',
    says: /orphan/,
  },
  {
    patch: 'lost-data-is-made-anew',
    breaks: 'an empty database takes the place of data that went away',
    file: FULL_DISK,
    test: 'a database that is gone is reported',
    says: /an empty database took its place/,
  },
  {
    patch: 'full-disk-soon-forgotten',
    breaks: 'a served database whose disk is full is called ready',
    file: DATABASE,
    test: 'a database whose disk was full',
    says: /Missing expected rejection/,
  },
  {
    patch: 'missing-mail-unreported',
    breaks: 'a public service without a mail server starts without a word',
    file: WARNINGS,
    test: 'a public service without a mail server',
    says: /0 !== 1/,
  },
  {
    patch: 'open-network-unreported',
    breaks: 'a service that is open to the network without https starts without a word',
    file: WARNINGS,
    test: 'a service that is open to the network',
    says: /HOST=0/,
  },
  {
    patch: 'mended-warning-stays',
    breaks: 'the alert of a configuration stays after it was mended',
    file: WARNINGS,
    test: 'a public service without a mail server',
    says: /'configuration'|SMTP_URL/,
  },
  {
    patch: 'misspelling-ignored',
    breaks: 'a misspelt setting is ignored in silence',
    file: WARNINGS,
    test: 'a misspelt setting is reported',
    says: /PUBLIC_ULR/,
  },
  {
    patch: 'suspended-heard-of-late',
    breaks: 'the running service goes on serving an organisation that was suspended',
    file: CLI,
    test: 'organizations lists them; suspend stops',
    says: /a key of a suspended organisation still reads/,
  },
  {
    patch: 'link-of-another-port',
    breaks: 'create-user prints a link to an address where no service is',
    file: CLI,
    test: 'create-user lets a person in',
    says: /localhost:0\/restablecer/,
  },
  {
    patch: 'interrupted-import-says-nothing',
    breaks: 'Ctrl+C ends an import without a word of what is stored',
    file: CLI,
    test: 'Ctrl+C ends an import',
    says: /!== 130/,
  },
  {
    patch: 'import-without-remaining-time',
    breaks: 'the bar of an import says nothing about how long it will take',
    file: TROUBLES,
    test: 'on a terminal an import shows',
    says: /faltan/,
  },
  {
    patch: 'remaining-time-of-the-whole',
    breaks: 'the bar of an import reports the time of the whole file, also near its end',
    file: 'src/commands/lines.test.ts',
    test: 'the remaining time follows',
    says: /faltan/,
  },
  {
    patch: 'refusal-logged-as-error',
    breaks: 'a typing error of a user is logged like a defect of ours',
    file: TROUBLES,
    test: 'credentials with a typing error',
    says: /job failed|'error'/,
  },
  {
    patch: 'resolved-alerts-reported',
    breaks: 'alerts lists what was resolved without --all',
    file: TROUBLES,
    test: 'alerts lists the open ones',
    says: /resolved_at/,
  },
  {
    patch: 'unreadable-without-its-field',
    breaks: 'unreadable does not say which field could not be read',
    file: TROUBLES,
    test: 'alerts lists the open ones',
    says: /items\.0\.sku/,
  },
  {
    patch: 'support-address-unsaid',
    breaks: 'users do not see the support address of the settings',
    file: HELP,
    test: 'refusals of the API and of the agent endpoint',
    says: /ayuda@papeleria/,
  },
  {
    patch: 'support-address-of-any-form',
    breaks: 'a support address that is none is accepted at the start',
    file: 'src/platform/config.test.ts',
    test: 'who runs the service',
    says: /Missing expected exception/,
  },
  {
    patch: 'notice-without-operator',
    breaks: 'the privacy notice leaves out who is responsible',
    file: HELP,
    test: 'the privacy notice has what the law asks for',
    says: /con domicilio/,
  },
  {
    patch: 'pages-without-notice',
    breaks: 'pages do not lead to the privacy notice',
    file: HELP,
    test: 'every page leads to the privacy notice',
    says: /Aviso de privacidad/,
  },
  {
    patch: 'config-rules-unasked',
    breaks: 'a configuration whose variables contradict one another is accepted',
    file: 'src/platform/config.test.ts',
    test: 'a process that is not alone',
    says: /Missing expected exception/,
  },
  {
    patch: 'end-of-version-by-answers-with-data',
    breaks: 'error answers have no headers about the end of the version',
    file: VERSION_END,
    test: 'from the announcement on',
    says: /\/v1\/orders 401|\/v1\/orders\/none 404/,
  },
  {
    patch: 'version-outlives-its-end',
    breaks: 'a version answers after its end',
    file: VERSION_END,
    test: 'from its end on',
    says: /200/,
  },
  {
    patch: 'end-of-version-mailed-each-hour',
    breaks: 'each housekeeping mails the end of a version again',
    file: VERSION_END,
    test: 'of several processes that look at once',
    says: /12 !== 2/,
  },
  {
    patch: 'end-of-version-mailed-to-all',
    breaks: 'the end of a version is mailed also where no key was used',
    file: VERSION_END,
    test: 'managers of keys used within 30 days',
    says: /^ *\+ +3$/m,
  },
  {
    patch: 'demo-without-floor',
    breaks: 'where the demo could not read a balance at once, no alert of it comes later',
    file: DEMO,
    test: 'a balance that the demo could not read at first',
    says: /low_balance/,
  },
];
