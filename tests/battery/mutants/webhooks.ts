import type { Mutant } from '../mutant.ts';

const WEBHOOKS = 'tests/webhooks.test.ts';
const MANAGE = 'tests/manage.test.ts';
const PAGES = 'tests/webhooks-page.test.ts';
const HOSTILE = 'tests/webhooks-hostile.test.ts';
const ONCE = 'tests/manage-once.test.ts';

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
    breaks: 'a change of status emits two events',
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
  {
    patch: 'trusted-address-travels',
    breaks: 'a key moves an endpoint of the operator to another inward address',
    file: ONCE,
    test: 'an endpoint with another address',
    says: /strictly equal/,
  },
  {
    patch: 'repeated-request-made-again',
    breaks: 'a repeated request with its Idempotency-Key makes another endpoint',
    file: ONCE,
    test: 'requests with one Idempotency-Key',
    says: /deep-equal/,
  },
  {
    patch: 'answers-kept-open',
    breaks: 'secrets are stored in clear beside the Idempotency-Key',
    file: ONCE,
    test: 'requests with one Idempotency-Key',
    says: /strictly equal|deep-equal/,
  },
  {
    patch: 'plan-of-before-allows',
    breaks: 'an endpoint is made while its plan goes down',
    file: ONCE,
    test: 'an endpoint that is asked for while',
    says: /strictly equal/,
  },
  {
    patch: 'scopes-of-any-plan',
    breaks: 'a key has a permission that its plan does not serve',
    file: ONCE,
    test: 'a key has a permission of managing',
    says: /Missing expected rejection/,
  },
  {
    patch: 'webhook-pages-for-all',
    breaks: 'members without the right to manage keys come to the pages about webhooks',
    file: PAGES,
    test: 'only roles that manage keys come in',
    says: /deep-equal/,
  },
  {
    patch: 'secret-without-second-factor',
    breaks: 'a session without its second factor makes an endpoint',
    file: PAGES,
    test: 'only roles that manage keys come in',
    says: /deep-equal/,
  },
  {
    patch: 'rotation-done-again',
    breaks: 'a form that comes again rotates the secret once more',
    file: PAGES,
    test: 'an endpoint is changed, disabled, enabled',
    says: /strictly equal/,
  },
  {
    patch: 'connection-told-without-change',
    breaks: 'each success of a job emits a change of its connection',
    file: HOSTILE,
    test: 'a change of a connection’s state is one event',
    says: /deep-equal/,
  },
  {
    patch: 'resend-repeated',
    breaks: 'a repeated resend with its Idempotency-Key resends again',
    file: ONCE,
    test: 'a resend that is repeated',
    says: /deep-equal/,
  },
];
