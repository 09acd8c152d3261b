import type { Mutant } from '../mutant.ts';

const PUBLISHED = 'tests/spec/published.test.ts';

export const FAULTS: readonly Mutant[] = [
  {
    patch: 'commit-not-on-disk',
    breaks: 'the embedded database answers a commit before it is on the disk',
    file: 'tests/reliability/durable.test.ts',
    test: 'each webhook is on the disk before its 200',
    says: /answers came before their fdatasync/,
  },
  {
    patch: 'headers-without-limit',
    breaks: 'headers may come for as long as a whole request',
    file: 'tests/reliability/slow-callers.test.ts',
    test: '300 callers that send a request byte by byte',
    says: /slow headers were taken for/,
  },
  {
    patch: 'unread-answers-are-kept',
    breaks: 'a caller that reads no answer keeps its connection for ever',
    file: 'tests/reliability/slow-callers.test.ts',
    test: '20 callers that read no answer',
    says: /callers that did not read were kept/,
  },
  {
    patch: 'shape-replaced-in-silence',
    breaks: 'the last of two shapes of one name is the only one in the document',
    file: 'tests/spec/openapi.test.ts',
    test: 'shapes and operations that would replace each other in the document are an error',
    says: /Missing expected exception/,
  },
  {
    patch: 'published-field-is-gone',
    breaks: 'a field of an answer gets another name',
    file: PUBLISHED,
    test: 'nothing that was published is lost or changed',
    says: /clients of before would fail/,
  },
  {
    patch: 'published-parameter-is-mandatory',
    breaks: 'each parameter of a list must be sent',
    file: PUBLISHED,
    test: 'nothing that was published is lost or changed',
    says: /clients of before would fail/,
  },
  {
    patch: 'lost-lock-blames-the-account',
    breaks: 'a sync run that lost its lock to another process delays the account',
    file: 'tests/connecting.test.ts',
    test: 'a sync run whose lock is lost is left',
    says: /delayed|service_unavailable|no está disponible/,
  },
];
