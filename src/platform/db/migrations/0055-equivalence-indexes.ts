/** The equivalences of a product, and of a code at any marketplace. */
export const indexes = {
  sku_equivalences_by_sku: 'sku_equivalences (organization_id, sku)',
  sku_equivalences_by_code: 'sku_equivalences (organization_id, code)',
};
