import type { Mutant } from '../mutant.ts';

const CLI = 'tests/cli.test.ts';
const GUIDES = 'tests/guides.test.ts';
const IN_TRANSIT = 'tests/en-camino.test.ts';
const PAQUETEXPRESS = 'tests/paquetexpress.test.ts';
const SHIPMENTS = 'tests/shipments.test.ts';
const ZIPNOVA = 'tests/zipnova.test.ts';

export const CARRIERS: readonly Mutant[] = [
  {
    patch: 'sent-back-is-delivered',
    breaks: 'a parcel that went back to its sender counts as delivered to the buyer',
    file: PAQUETEXPRESS,
    test: 'a parcel that was sent back',
    says: /deep-equal/,
  },
  {
    patch: 'return-is-a-delivery',
    breaks: 'a parcel that comes back reports how the order goes',
    file: SHIPMENTS,
    test: 'what a buyer sends back is a shipment of its own',
    says: /the order moved by it/,
  },
  {
    patch: 'newest-parcel-speaks',
    breaks: 'the newest of several parcels speaks for the order',
    file: SHIPMENTS,
    test: 'an order of several parcels is in preparation while one is',
    says: /PREPARACION/,
  },
  {
    patch: 'return-without-its-order',
    breaks: 'a return that names no order is not found by its parent',
    file: SHIPMENTS,
    test: 'an order that comes after its parcel and the return of it finds both',
    says: /1 !== 2/,
  },
  {
    patch: 'returns-of-before-stay',
    breaks: 'orders that showed a return as their delivery before stay so',
    file: SHIPMENTS,
    test: 'an order that showed a return as its delivery',
    says: /tracking_number|ZN/,
  },
  {
    patch: 'details-left-in-the-queue',
    breaks: 'what a running service refuses loses its details on the way to the command',
    file: CLI,
    test: 'credentials of several carrier accounts',
    says: /undefined|'invalid_request'/,
  },
  {
    patch: 'second-rotation-ends-the-first',
    breaks: 'a second rotation within the day ends the address that the carrier still uses',
    file: PAQUETEXPRESS,
    test: 'addresses that were rotated several times',
    says: /401|429/,
  },
  {
    patch: 'first-account-taken',
    breaks: 'of several accounts of a carrier the first one is taken',
    file: IN_TRANSIT,
    test: 'of several accounts none is guessed at',
    says: /no failure|carrier_account_ambiguous|relation_not_unique/,
  },
  {
    patch: 'guide-of-another-account',
    breaks: 'a lost guide is looked for at the account of the next batch',
    file: GUIDES,
    test: 'a guide whose answer was lost is looked for at the account',
    says: /the account of the attempt was asked/,
  },
  {
    patch: 'cancelled-at-another-account',
    breaks: 'labels and cancellations go to the account of today',
    file: GUIDES,
    test: 'the account that the request names makes the guide',
    says: /carrier_account_ambiguous|varias cuentas/,
  },
  {
    patch: 'in-transit-not-stored',
    breaks: 'after «En camino» the stored shipment stays as it was',
    file: IN_TRANSIT,
    test: 'the stored shipment says at once what Zipnova says',
    says: /ready_to_ship/,
  },
  {
    patch: 'refusal-reported-as-silence',
    breaks: 'a refused change is reported as a missing answer',
    file: IN_TRANSIT,
    test: 'Zipnova’s sentence about a refused change',
    says: /upstream_error/,
  },
  {
    patch: 'return-set-on-its-way',
    breaks: 'a parcel that comes back counts among those to be set on their way',
    file: IN_TRANSIT,
    test: 'a parcel that brings the order back is not the one',
    says: /más de un envío/,
  },
  {
    patch: 'webhooks-left-behind',
    breaks: 'an account that is disconnected leaves its webhooks at the carrier',
    file: ZIPNOVA,
    test: 'with the account its webhooks go',
    says: /deep-equal/,
  },
  {
    patch: 'foreign-webhooks-removed',
    breaks: 'disconnecting removes webhooks of other programs too',
    file: ZIPNOVA,
    test: 'with the account its webhooks go',
    says: /deep-equal/,
  },
  {
    patch: 'leaving-needs-an-answer',
    breaks: 'an account cannot be disconnected while the carrier is away',
    file: ZIPNOVA,
    test: 'an account is disconnected though Zipnova',
    says: /answered 500|unreachable|UpstreamError/,
  },
  {
    patch: 'step-taken-back-unseen',
    breaks: 'a step that the carrier took back hides what it reports later',
    file: SHIPMENTS,
    test: 'a step that the carrier took back is gone',
    says: /INCIDENCIA/,
  },
  {
    patch: 'step-dated-ahead-rules',
    breaks: 'a step that is dated ahead hides what is read after it',
    file: 'src/features/shipments/shipment.test.ts',
    test: 'a reading fetched a minute later than one that is dated ahead',
    says: /true !== false/,
  },
  {
    patch: 'whole-carrier-push-kept',
    breaks: 'whatever else a webhook of Zipnova says of a parcel is stored in clear',
    file: ZIPNOVA,
    test: 'of a webhook only its topic and identifiers',
    says: /Marta|deep-equal/,
  },
  {
    patch: 'tokens-guessed-for-ever',
    breaks: 'one address may try tokens of webhooks without end',
    file: ZIPNOVA,
    test: 'without the token nothing is taken',
    says: /401/,
  },
];
