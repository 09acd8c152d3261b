/** By it a shipment finds those that follow it. */
export const indexes = {
  shipments_by_parent:
    'shipments (organization_id, carrier, account_id, parent_id) where parent_id is not null',
};
