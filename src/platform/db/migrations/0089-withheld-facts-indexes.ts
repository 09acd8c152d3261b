/** Documents that a former release stored. */
export const indexes = {
  cfdis_incomplete: 'cfdis (organization_id, kind, uuid) where withheld is null',
};
