import type { Mutant } from '../mutant.ts';

const WEBHOOKS = 'tests/webhooks.test.ts';
const MANAGE = 'tests/manage.test.ts';

export const WEBHOOKS_OUT: readonly Mutant[] = [
  {
    patch: 'endpoint-of-own-network',
    breaks: 'customers’ endpoints may be inside of our network',
    file: WEBHOOKS,
    test: 'an address of the own network',
    says: /refused_address/,
  },
  {
    patch: 'former-secret-is-silent',
    breaks: 'after a rotation the former secret does not sign',
    file: WEBHOOKS,
    test: 'after a rotation both secrets sign',
    says: /falsy|The expression evaluated/,
  },
  {
    patch: 'resend-while-sending',
    breaks: 'an event that is being sent is sent once more by hand',
    file: WEBHOOKS,
    test: 'an event that is being sent',
    says: /strictly equal/,
  },
  {
    patch: 'killed-delivery-is-lost',
    breaks: 'what a killed process was sending is never sent again',
    file: WEBHOOKS,
    test: 'what a killed process was sending',
    says: /strictly equal/,
  },
  {
    patch: 'endpoints-share-connections',
    breaks: 'a healthy endpoint waits for those that hang at the same host',
    file: WEBHOOKS,
    test: 'a healthy endpoint does not wait',
    says: /strictly equal/,
  },
  {
    patch: 'status-change-twice',
    breaks: 'a change of status is told twice',
    file: WEBHOOKS,
    test: 'a change of the status is one event',
    says: /strictly equal/,
  },
  {
    patch: 'event-clock-not-held',
    breaks: 'an event may be logged behind one that was already read',
    file: MANAGE,
    test: 'of two writers at once',
    says: /deep-equal|strictly equal/,
  },
  {
    patch: 'test-event-to-all',
    breaks: 'a test event goes to the endpoints that want its type',
    file: MANAGE,
    test: 'a test event goes to its endpoint alone',
    says: /deep-equal|strictly equal/,
  },
  {
    patch: 'log-of-any-plan',
    breaks: 'the event log of 30 days is shown to plans with seven',
    file: MANAGE,
    test: 'the plan decides',
    says: /deep-equal/,
  },
  {
    patch: 'manage-without-scope',
    breaks: 'any key manages endpoints',
    file: MANAGE,
    test: 'a key needs the permission',
    says: /reading 'details'/,
  },
];
