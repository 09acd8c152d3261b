import type { GuideDefaults } from '../contract.ts';

/** The default outbound layout. */
export const GUIDE_DEFAULTS: GuideDefaults = {
  destination_tax_id: 'XAXX010101000',
  country: 'MEXICO',
  package_code: '3',
  content: 'COLCHON',
  delivery_type: '2',
  payment_form: 'PAID',
  acknowledgement: 'N',
  coverage: 'N',
  service_type: 'ST',
  product_id: '56101508',
};
