import type { Mutant } from '../mutant.ts';

const TRACES = 'tests/traces-sent.test.ts';

export const TRACED: readonly Mutant[] = [
  {
    patch: 'request-span-is-no-child',
    breaks: 'a request is not joined to the trace of its caller',
    file: TRACES,
    test: 'a request, a sync run and a webhook',
    says: /deep-equal/,
    needsSdk: true,
  },
  {
    patch: 'call-span-outside-its-job',
    breaks: 'a call to a service is not joined to the trace of its job',
    file: TRACES,
    test: 'a request, a sync run and a webhook',
    says: /no span of a call in a sync run/,
    needsSdk: true,
  },
  {
    patch: 'span-has-the-query',
    breaks: 'the span of a request has its path and query',
    file: TRACES,
    test: 'a request, a sync run and a webhook',
    says: /a span has limit=7/,
    needsSdk: true,
  },
];
