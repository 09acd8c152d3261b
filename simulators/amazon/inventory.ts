/** What Amazon keeps, by the FBA inventory, and what the seller keeps, by the listings. */
import { dice } from '../dice.ts';
import type { Call, Reply, Routes } from '../http.ts';
import type { Product } from '../order.ts';
import { asinOf } from './documents.ts';
import { invalid, iso, MEXICO, readToken, refuse, type Shop, timeOf, tokenFor } from './shop.ts';

const FBA_PAGE = 5;
const FBA_TOKEN_LIFE = 30_000;
const LISTINGS_PAGE = 20;
const FIRST_LISTED = Date.parse('2024-03-01T15:00:00Z');
const HOUR = 3_600_000;

interface Position {
  readonly at: number;
  readonly offset: number;
}

interface Listed {
  readonly sku: string;
  readonly title: string;
  readonly product: Product;
  readonly createdAt: number;
}

export function inventoryRoutes(shop: Shop): Routes {
  const { world, now } = shop;

  function listFba(call: Call): Reply {
    shop.enter(call, 'getInventorySummaries');
    const { query } = call;
    if (
      query.get('granularityType') !== 'Marketplace' ||
      !query.get('granularityId') ||
      !query.get('marketplaceIds')
    )
      throw invalid('granularityType, granularityId and marketplaceIds are required');
    const position = readToken<Position>(query.get('nextToken'), FBA_TOKEN_LIFE, now());
    const start = position?.offset ?? 0;
    const kept = listedOf(world.products).filter(({ product }) => product.keptByMarketplace);
    const stock = world.stock();
    const page = kept.slice(start, start + FBA_PAGE);
    const isMore = kept.length > start + FBA_PAGE;
    return {
      body: {
        payload: {
          granularity: { granularityType: 'Marketplace', granularityId: MEXICO },
          inventorySummaries: page.map((listed) =>
            summary(listed, stock.get(listed.sku) ?? 0, now(), query.get('details') === 'true'),
          ),
        },
        ...(isMore && {
          pagination: { nextToken: tokenFor({ at: now(), offset: start + FBA_PAGE }) },
        }),
      },
    };
  }

  function searchListings(call: Call): Reply {
    shop.enter(call, 'searchListingsItems');
    const { query } = call;
    if (call.params.seller !== shop.sellerId)
      throw refuse(403, 'Unauthorized', 'Access to requested resource is denied.');
    const size = Number(query.get('pageSize') ?? 10);
    if (!(size >= 1 && size <= LISTINGS_PAGE)) throw invalid('pageSize must be between 1 and 20');
    const since = timeOf(call, 'createdAfter') ?? 0;
    const found = listedOf(world.products)
      .filter(({ createdAt }) => createdAt >= since)
      .sort((a, b) => a.createdAt - b.createdAt);
    // Only the first thousand can be paged through.
    const shown = found.slice(0, shop.switches.listingsShown);
    const start = readToken<Position>(query.get('pageToken'), HOUR, now())?.offset ?? 0;
    const stock = world.stock();
    return {
      body: {
        numberOfResults: found.length,
        ...(shown.length > start + size && {
          pagination: { nextToken: tokenFor({ at: now(), offset: start + size }) },
        }),
        items: shown
          .slice(start, start + size)
          .map((listed) => listing(listed, stock.get(listed.sku) ?? 0)),
      },
    };
  }

  return {
    'GET /fba/inventory/v1/summaries': listFba,
    'GET /listings/2021-08-01/items/:seller': searchListings,
  };
}

function listedOf(products: readonly Product[]): Listed[] {
  return products
    .flatMap((product) => {
      if (product.variants.length === 0)
        return [{ sku: product.sku, title: product.title, product }];
      return product.variants.map(({ sku, value }) => ({
        sku,
        title: `${product.title} ${value}`,
        product,
      }));
    })
    .map((one, index) => ({ ...one, createdAt: FIRST_LISTED + index * HOUR }));
}

function summary({ sku, title }: Listed, available: number, now: number, withDetails: boolean) {
  const chance = dice('fba', sku);
  const [reserved, broken, inbound] = [chance.whole(0, 4), chance.whole(0, 2), chance.whole(0, 9)];
  return {
    asin: asinOf(sku),
    fnSku: `X00${chance.whole(1_000_000, 9_999_999)}`,
    sellerSku: sku,
    condition: 'NewItem',
    ...(withDetails && {
      inventoryDetails: {
        fulfillableQuantity: available,
        inboundWorkingQuantity: 0,
        inboundShippedQuantity: inbound,
        inboundReceivingQuantity: 0,
        reservedQuantity: {
          totalReservedQuantity: reserved,
          pendingCustomerOrderQuantity: reserved,
          pendingTransshipmentQuantity: 0,
          fcProcessingQuantity: 0,
        },
        researchingQuantity: { totalResearchingQuantity: 0, researchingQuantityBreakdown: [] },
        unfulfillableQuantity: {
          totalUnfulfillableQuantity: broken,
          customerDamagedQuantity: broken,
          warehouseDamagedQuantity: 0,
          distributorDamagedQuantity: 0,
          carrierDamagedQuantity: 0,
          defectiveQuantity: 0,
          expiredQuantity: 0,
        },
      },
    }),
    lastUpdatedTime: iso(now),
    productName: title,
    totalQuantity: available + reserved + broken + inbound,
    stores: [],
  };
}

function listing({ sku, title, product, createdAt }: Listed, quantity: number) {
  return {
    sku,
    summaries: [
      {
        marketplaceId: MEXICO,
        asin: asinOf(sku),
        productType: 'PRODUCT',
        conditionType: 'new_new',
        status: quantity > 0 ? ['BUYABLE', 'DISCOVERABLE'] : ['DISCOVERABLE'],
        itemName: title,
        createdDate: iso(createdAt),
        lastUpdatedDate: iso(createdAt),
      },
    ],
    fulfillmentAvailability: [
      { fulfillmentChannelCode: product.keptByMarketplace ? 'AMAZON_NA' : 'DEFAULT', quantity },
    ],
  };
}
