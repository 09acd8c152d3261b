/** The contract of a carrier's connector, by subject. */
export * from './contract/carrier.ts';
export * from './contract/carrier-facts.ts';
export * from './contract/guide-request.ts';
export * from './contract/guides.ts';
export * from './contract/own-fleet.ts';
export * from './contract/source-shipment.ts';
