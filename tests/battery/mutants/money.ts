import type { Mutant } from '../mutant.ts';

const WITHHELD = 'tests/withheld-money.test.ts';
const MERCADO_LIBRE = 'tests/connectors/mercado_libre.test.ts';
const MERCADO_LIBRE_WIRE = 'src/connectors/mercado_libre/wire.test.ts';
const TIKTOK_SHOP = 'tests/connectors/tiktok_shop.test.ts';
const TIKTOK_SHOP_WIRE = 'src/connectors/tiktok_shop/wire.test.ts';
const TIENDANUBE = 'tests/connectors/tiendanube.test.ts';
const SHOPIFY = 'tests/connectors/shopify.test.ts';
const SHOPIFY_WIRE = 'src/connectors/shopify/wire.test.ts';
const VTEX = 'tests/connectors/vtex.test.ts';
const VTEX_WIRE = 'src/connectors/vtex/wire.test.ts';
const IDENTITY = 'tests/money.test.ts';

export const MONEY: readonly Mutant[] = [
  {
    patch: 'line-money-without-tax',
    breaks: 'a shop whose prices include tax is shown without it',
    file: 'tests/money.test.ts',
    test: 'woocommerce: the one purchase',
    says: /unit_price/,
  },
  {
    patch: 'late-version-fills-nothing',
    breaks:
      'an order that was stored with its money zeroed stays without, although its older version has it',
    file: WITHHELD,
    test: 'an order that was cancelled keeps its money and its lines when its versions arrive as 1 0',
    says: /total: null/,
  },
  {
    patch: 'cancelled-pieces-unreported',
    breaks: 'a line whose money was zeroed does not tell its cancelled pieces',
    file: WITHHELD,
    test: 'an order that was cancelled in part keeps its money and its lines when its versions arrive as 0 1',
    says: /PLATO 1 −0 50/,
  },
  {
    patch: 'tiendanube-archived-is-closed',
    breaks: 'an order that its seller archived and opened again is closed',
    file: TIENDANUBE,
    test: 'archiving an order does not close it',
    says: /false == true|falsy value/,
  },
  {
    patch: 'tiendanube-parcels-without-price',
    breaks: 'dated versions report no shipping of the buyer',
    file: TIENDANUBE,
    test: 'version 2025-03 has shipping and its price',
    says: /unexplained/,
  },
  {
    patch: 'tiendanube-rubbish-currency',
    breaks: 'any text in place of a currency is one',
    file: TIENDANUBE,
    test: 'an order without a currency is in the one of its store',
    says: /'string'/,
  },
  {
    patch: 'tiendanube-gateway-discount-unreported',
    breaks: 'a discount for the way of paying is none',
    file: IDENTITY,
    test: 'tiendanube: the parts of every order give its total',
    says: /unexplained/,
  },
  {
    patch: 'meli-returns-unlisted',
    breaks: 'the shipments of an order are asked for without its returns',
    file: MERCADO_LIBRE,
    test: 'goods that came back and went to the buyer again',
    says: /'returned'/,
  },
  {
    patch: 'meli-sent-again-unseen',
    breaks: 'goods that were sent to the buyer again count as returned',
    file: MERCADO_LIBRE,
    test: 'goods that came back and went to the buyer again',
    says: /'shipped'/,
  },
  {
    patch: 'meli-pack-shipping-counted',
    breaks: 'each order of a pack has the pack’s shipping',
    file: MERCADO_LIBRE,
    test: 'the shipping of a pack belongs to the pack',
    says: /shipping_total: 99.5/,
  },
  {
    patch: 'meli-coupon-in-the-total',
    breaks: 'a coupon counts as subtracted from a total that holds it',
    file: IDENTITY,
    test: 'mercado_libre: the parts of every order give its total',
    says: /unexplained/,
  },
  {
    patch: 'meli-full-price-ignored',
    breaks: 'the price before discounts is not read where it is of one piece',
    file: MERCADO_LIBRE_WIRE,
    test: 'a line with {"full_unit_price":210',
    says: /200 !== 210/,
  },
  {
    patch: 'meli-stock-location-unheard',
    breaks: 'a push about stock that is kept by place brings nothing',
    file: MERCADO_LIBRE,
    test: 'stock notified under its user product',
    says: /deep-equal/,
  },
  {
    patch: 'meli-kept-without-later',
    breaks: 'what is kept of an order does not say that its goods came back',
    file: MERCADO_LIBRE_WIRE,
    test: 'what is kept of an order is read again as the same order',
    says: /deep-equal/,
  },
  {
    patch: 'money-of-rounded-pieces',
    breaks: 'goods by weight are paid for by the rounded piece',
    file: MERCADO_LIBRE_WIRE,
    test: 'goods by weight: the quantity is rounded up, the money is not',
    says: /'160'/,
  },
  {
    patch: 'tiktok-cancelled-piece-sold',
    breaks: 'a piece that was cancelled alone counts as sold',
    file: TIKTOK_SHOP,
    test: 'a piece that is cancelled alone was not sold',
    says: /deep-equal/,
  },
  {
    patch: 'tiktok-refund-closes-nothing',
    breaks: 'an order whose money was given back before it came is closed by its delivery',
    file: TIKTOK_SHOP_WIRE,
    test: 'when everything was given back',
    says: /deep-equal/,
  },
  {
    patch: 'tiktok-coupon-counted-twice',
    breaks: 'the discounts of the pieces are discounts of the order too',
    file: IDENTITY,
    test: 'tiktok_shop: the parts of every order give its total',
    says: /unexplained/,
  },
  {
    patch: 'tiktok-tax-always-added',
    breaks: 'taxes that are inside the prices are added to them',
    file: TIKTOK_SHOP_WIRE,
    test: 'taxes are inside its prices where its total says so',
    says: /56\.55/,
  },
  {
    patch: 'tiktok-claims-unkept',
    breaks: 'what is kept of an order does not hold its returns',
    file: TIKTOK_SHOP_WIRE,
    test: 'is read again as the same order from what is kept of it',
    says: /deep-equal/,
  },
  {
    patch: 'shopify-coupon-in-the-lines',
    breaks: 'a discount of the whole order counts as a discount of its lines',
    file: IDENTITY,
    test: 'shopify: the one purchase',
    says: /order_discount: 0/,
  },
  {
    patch: 'shopify-tax-on-top-unreported',
    breaks: 'tax that is added to the prices is not reported',
    file: SHOPIFY,
    test: 'a shop whose prices are without tax adds it',
    says: /deep-equal/,
  },
  {
    patch: 'shopify-removed-still-in-the-total',
    breaks: 'what an edit removed stays in the total',
    file: SHOPIFY,
    test: 'what the seller removes by editing an order makes a new total',
    says: /unexplained/,
  },
  {
    patch: 'shopify-tip-is-goods',
    breaks: 'a tip is an item, and counts twice',
    file: IDENTITY,
    test: 'shopify: the parts of every order give its total',
    says: /unexplained/,
  },
  {
    patch: 'shopify-refund-moves-closing',
    breaks: 'a later refund or return moves the time at which an order was closed',
    file: SHOPIFY_WIRE,
    test: 'an order is closed when it first became final',
    says: /2026-11-14T10:00:00Z/,
  },
  {
    patch: 'shopify-kept-without-withheld',
    breaks: 'what is kept of an order does not say which fields were withheld',
    file: SHOPIFY_WIRE,
    test: 'what is kept of an order is read again as the same order',
    says: /deep-equal/,
  },
  {
    patch: 'vtex-change-uncounted',
    breaks: 'what a change of an order came to is no part of its total',
    file: IDENTITY,
    test: 'vtex: the parts of every order give its total',
    says: /unexplained/,
  },
  {
    patch: 'mirakl-refused-line-packed',
    breaks: 'pieces of a refused line are packed and count as sold',
    file: 'tests/connectors/mirakl.test.ts',
    test: 'a line that the seller refused',
    says: /deep-equal/,
  },
  {
    patch: 'vtex-removed-pieces-sold',
    breaks: 'pieces that a change removed count as sold',
    file: VTEX,
    test: 'a change agreed with the buyer',
    says: /deep-equal/,
  },
  {
    patch: 'vtex-line-discounts-twice',
    breaks: 'discounts that the lines have are taken off once more',
    file: IDENTITY,
    test: 'vtex: the one purchase',
    says: /order_discount: 0/,
  },
  {
    patch: 'vtex-price-of-the-kilo',
    breaks: 'the price of a kilo is shown as that of a piece',
    file: VTEX_WIRE,
    test: 'a piece costs a piece of the unit in which it is priced',
    says: /'0\.63'/,
  },
  {
    patch: 'vtex-paid-is-closed',
    breaks: 'an order closes when it is paid',
    file: VTEX,
    test: 'an order closes when its buyer has it',
    says: /deep-equal/,
  },
  {
    patch: 'vtex-missing-order-forgotten',
    breaks: 'an event about an order that cannot be read yet is forgotten',
    file: VTEX,
    test: 'an order that cannot be read yet is left in the feed',
    says: /falsy value|false == true/,
  },
  {
    patch: 'vtex-empty-status-read',
    breaks: 'an order that is seconds old is stored with an unknown status',
    file: VTEX,
    test: 'an order that has an empty status is left in the feed',
    says: /strictly equal/,
  },
  {
    patch: 'stopped-sum-goes-on',
    breaks: 'a balance adds rows of today to the sum of those that were read before a failure',
    file: 'tests/interrupted-sums.test.ts',
    test: 'a sum that a failure stopped',
    says: /strictly equal/,
  },
  {
    patch: 'old-sum-goes-on',
    breaks: 'a balance adds rows of today to a sum of days ago',
    file: 'tests/interrupted-sums.test.ts',
    test: 'a sum that waited for a day',
    says: /strictly equal/,
  },
];
