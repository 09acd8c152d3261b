/** The CFDI whose orders are to be looked for again. */
export const indexes = {
  cfdis_to_look: 'cfdis (organization_id, look_at) where look_at is not null',
};
