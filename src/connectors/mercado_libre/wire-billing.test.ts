import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBillingData } from './wire-billing.ts';

const ADDRESS = {
  street_name: 'Av. del Mercado',
  street_number: '12',
  city_name: 'Puebla',
  state: { code: 'PUE', name: 'Puebla' },
  zip_code: '72000',
  country_id: 'MX',
};

function answer(billing_info: object | null) {
  return { site_id: 'MLM', buyer: { cust_id: 42, billing_info }, seller: { cust_id: 7 } };
}

test('a company gives one name, its regime and its use by their codes', () => {
  const read = toBillingData(
    answer({
      name: 'TAZAS DE PUEBLA',
      identification: { type: 'RFC', number: 'tpu010203ab1' },
      taxes: {
        contributor: 'PERSONA MORAL',
        taxpayer_type: { id: '601', description: 'General de Ley Personas Morales' },
        cfdi: { id: 'G01', description: 'Adquisición de mercancías' },
      },
      address: ADDRESS,
      attributes: { is_normalized: true, customer_type: 'BU' },
    }),
  );

  assert.deepEqual(read, {
    name: 'TAZAS DE PUEBLA',
    rfc: 'TPU010203AB1',
    regime: '601',
    cfdiUse: 'G01',
    street: 'Av. del Mercado 12',
    neighborhood: null,
    city: 'Puebla',
    state: 'Puebla',
    zipcode: '72000',
  });
});

test('a person who gave a CURP, or whose data are not there yet, gave no RFC', () => {
  const person = { name: 'Ana', last_name: 'Luna', address: ADDRESS };
  const curp = { type: 'CURP', number: 'LUAA800101MPLNNN01' };

  for (const info of [{ ...person, identification: curp }, person, null])
    assert.equal(toBillingData(answer(info)), null);
});
