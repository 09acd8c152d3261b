/**
 * Mercado Pago has no balance that could be requested: only a report that is ordered and comes
 * later, and the payments whose money is still held.
 */
import type { Call, Routes } from '../http.ts';
import { searchPayments } from './payments.ts';
import { releaseReportRoutes } from './release-report.ts';
import { refusalReply, refuse, type Seller, type Shop } from './shop.ts';

export function mercadoPagoRoutes(shop: Shop): Routes {
  /** The shop's own mistake comes before anything of the seller's. */
  function caller(call: Call): Seller {
    const seller = shop.caller(call);
    if (shop.switches.paymentsRefused)
      throw refuse(403, 'forbidden', 'The caller is not authorized to access this resource');
    return seller;
  }

  return {
    'GET /users/:id/mercadopago_account/balance': (call) => {
      shop.caller(call);
      throw refuse(403, 'forbidden', 'The caller is not authorized to access this resource');
    },
    'GET /v1/account/balance': () => refusalReply(404, 'not_found', 'resource not found'),
    ...releaseReportRoutes({ ...shop, caller }),
    'GET /v1/payments/search': (call) => searchPayments(call, caller(call), shop),
  };
}
