/**
 * What is still to be sealed is found through all but one of these; they are empty afterwards. The
 * one of labels serves their retention.
 */
export const indexes = {
  warehouse_lines_unsealed: 'warehouse_lines (organization_id, id) where (destination is not null)',
  guide_attempts_unsealed_request:
    'guide_attempts (organization_id, id) where (request is not null)',
  guide_attempts_unsealed_zpl: 'guide_attempts (organization_id, id) where (zpl is not null)',
  guide_attempts_unsealed_pdf:
    'guide_attempts (organization_id, id) where (pdf_base64 is not null)',
  guide_attempts_with_any_label: `guide_attempts (settled_at)
    where (zpl is not null or pdf_base64 is not null or zpl_box is not null or pdf_box is not null)`,
  paquetexpress_shipments_unsealed_personal: `paquetexpress_shipments (organization_id, account_id, tracking_number)
    where (origin_name is not null or destination_name is not null or destination_tax_id is not null
      or destination_phone is not null or destination_street is not null
      or destination_number is not null or destination_colony is not null or comments is not null)`,
  shipments_with_names: `shipments (organization_id, carrier, account_id, id)
    where (origin like '%"name":"%' or destination like '%"name":"%')`,
};
