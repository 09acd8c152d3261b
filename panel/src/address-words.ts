/** The fields of addresses, as forms name them. */
const PLACE = {
  street: 'Calle',
  number: 'Número',
  colony: 'Colonia',
  municipality: 'Municipio o alcaldía',
  city: 'Ciudad',
  state: 'Estado',
  zipcode: 'Código postal',
  phone: 'Teléfono (10 dígitos)',
  email: 'Correo (opcional)',
} as const;

export const destinationFields = { name: 'Nombre de quien recibe', ...PLACE } as const;
export const originFields = { name: 'Nombre de quien entrega', ...PLACE } as const;
