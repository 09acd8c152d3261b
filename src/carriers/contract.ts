/** What a carrier's connector gives and what it is given, by subject. */
export * from './contract/carrier.ts';
export * from './contract/guides.ts';
export * from './contract/own-fleet.ts';
export * from './contract/source-shipment.ts';
