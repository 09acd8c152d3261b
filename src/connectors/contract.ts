/** The contract of a marketplace's connector, by subject. */
export * from './contract/auth.ts';
export * from './contract/call.ts';
export * from './contract/connector.ts';
export * from './contract/form.ts';
export * from './contract/marketplaces.ts';
export * from './contract/movements.ts';
export * from './contract/notifications.ts';
export * from './contract/other-sources.ts';
export * from './contract/reported-order.ts';
export * from './contract/source-order.ts';
export * from './contract/stream.ts';
