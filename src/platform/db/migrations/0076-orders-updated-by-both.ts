/** Changes of a marketplace's orders in a status, however rare, are read through it. */
export const indexes = {
  orders_updated_by_both: 'orders (organization_id, marketplace, status, last_updated)',
};
