/** What is still to be sealed is found through these; they are empty afterwards. */
export const indexes = {
  shipments_unsealed: 'shipments (organization_id, carrier, account_id, id) where raw is not null',
  paquetexpress_shipments_unsealed:
    'paquetexpress_shipments (organization_id, account_id, tracking_number) where raw is not null',
};
