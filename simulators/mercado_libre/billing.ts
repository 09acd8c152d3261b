/** What buyers give for the invoices of their orders. */
import type { Order } from '../order.ts';
import { buyerId } from './facts.ts';
import type { Seller } from './shop.ts';

/** What an order's billing data are requested by. */
export function billingId(order: Order): string {
  return `7${order.id}`;
}

/** One buyer of three wants an invoice. */
export function gaveBillingData(order: Order): boolean {
  return order.buyer.number % 3 === 0;
}

/** What a buyer gave for the invoice, in the shape of the site MLM. */
export function billingDocument(order: Order, seller: Seller) {
  const { buyer } = order;
  const { street, city, state, stateCode, zip } = buyer.address;
  const letters = `${buyer.lastName}${buyer.firstName}XXXX`.replace(/[^A-Za-z]/g, 'X').slice(0, 4);
  return {
    site_id: 'MLM',
    buyer: {
      cust_id: buyerId(order),
      billing_info: {
        name: buyer.firstName,
        last_name: buyer.lastName,
        identification: {
          type: 'RFC',
          number: `${letters.toUpperCase()}800101${String(buyer.number % 1_000).padStart(3, '0')}`,
        },
        taxes: {
          contributor: 'PERSONA FÍSICA',
          taxpayer_type: {
            id: '612',
            description: 'Personas Físicas con Actividades Empresariales',
          },
          cfdi: { id: 'G03', description: 'Gastos en general' },
        },
        address: {
          street_name: street,
          street_number: null,
          neighborhood: null,
          city_name: city,
          state: { code: stateCode, name: state },
          zip_code: zip,
          country_id: 'MX',
        },
        attributes: { vat_discriminated_billing: 'true', is_normalized: true, customer_type: 'CO' },
      },
    },
    seller: { cust_id: seller.id },
  };
}
