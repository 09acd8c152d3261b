/** The document of an event may name its buyer, and no reader of it is left. */
export const sql = `
alter table shipment_events drop column raw;
`;
