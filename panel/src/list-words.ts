/** What a long list says that is not fetched again by itself. */
export const listWords = {
  changes: 'Puede haber cambios desde que abriste la lista.',
  renew: 'Actualizar lista',
};
