/**
 * The queries to the Admin API, version 2026-10. Lists inside of rows multiply the cost, so they
 * are short.
 */
export const API_VERSION = '2026-10';

const PAGE = 'pageInfo{hasNextPage endCursor}';
const MONEY = '{shopMoney{amount currencyCode}}';

const DISCOUNTS = `discountAllocations{allocatedAmountSet${MONEY}
  discountApplication{allocationMethod targetSelection}}`;

const LINES = `{nodes{id title name sku variantTitle quantity currentQuantity
  originalUnitPriceSet${MONEY} ${DISCOUNTS}} ${PAGE}}`;

const ORDER = `{id legacyResourceId name test tags createdAt updatedAt cancelledAt
  displayFinancialStatus displayFulfillmentStatus returnStatus currencyCode taxesIncluded edited
  totalPriceSet${MONEY} totalTaxSet${MONEY} totalRefundedSet${MONEY} totalTipReceivedSet${MONEY}
  dutiesIncluded originalTotalDutiesSet${MONEY} additionalFees{name price${MONEY}}
  refunds(first:20){createdAt processedAt totalRefundedSet${MONEY}}
  customer{displayName firstName lastName} shippingAddress{name firstName lastName}
  lineItems(first:50)${LINES}
  shippingLines(first:10){nodes{title discountedPriceSet${MONEY}} ${PAGE}}
  fulfillments(first:20){status displayStatus inTransitAt deliveredAt trackingInfo{company number}}
  localizedFields(first:10){nodes{key}}}`;

/** Sorted by change: the default is the time of processing. */
export const ORDERS = `query Orders($q:String!,$after:String,$n:Int!){
  orders(first:$n,after:$after,query:$q,sortKey:UPDATED_AT){nodes${ORDER} ${PAGE}}}`;

/** The same list without what makes an answer large. */
export const ORDER_IDS = `query OrderIds($q:String!,$after:String,$n:Int!){
  orders(first:$n,after:$after,query:$q,sortKey:UPDATED_AT){nodes{id} ${PAGE}}}`;

export const ONE_ORDER = `query Order($id:ID!){order(id:$id)${ORDER}}`;

/** Null for deleted orders. */
export const OPEN_ORDERS = `query OpenOrders($ids:[ID!]!){nodes(ids:$ids){...on Order${ORDER}}}`;

export const MORE_LINES = `query OrderLines($id:ID!,$after:String!){
  owner:order(id:$id){list:lineItems(first:50,after:$after)${LINES}}}`;

/** The sale as agreed with the buyer, and each edit of the order. */
export const AGREEMENTS = `query OrderAgreements($id:ID!,$after:String){
  owner:order(id:$id){list:agreements(first:10,after:$after){
    nodes{reason sales(first:50){nodes{actionType totalAmount${MONEY}} ${PAGE}}} ${PAGE}}}}`;

const LEVELS = `{nodes{location{id} quantities(names:["available","on_hand"]){name quantity}} ${PAGE}}`;

const ITEM = `{id sku tracked variants(first:1){nodes{displayName}} inventoryLevels(first:20)${LEVELS}}`;

export const ITEMS = `query InventoryItems($after:String,$n:Int!){
  inventoryItems(first:$n,after:$after){nodes${ITEM} ${PAGE}}}`;

/** The same list without what makes an answer large. */
export const ITEM_IDS = `query InventoryItemIds($after:String,$n:Int!){
  inventoryItems(first:$n,after:$after){nodes{id} ${PAGE}}}`;

export const ONE_ITEM = `query InventoryItem($id:ID!){inventoryItem(id:$id)${ITEM}}`;

export const MORE_LEVELS = `query InventoryLevels($id:ID!,$after:String!){
  owner:inventoryItem(id:$id){list:inventoryLevels(first:50,after:$after)${LEVELS}}}`;

export const BALANCE = 'query Balance{shopifyPaymentsAccount{balance{amount currencyCode}}}';

/** The parts of a payout: the sums earned and, of each, the fee. */
export const SUMMARY = [
  { gross: 'adjustmentsGross', fee: 'adjustmentsFee' },
  { gross: 'advanceGross', fee: 'advanceFees' },
  { gross: 'chargesGross', fee: 'chargesFee' },
  { gross: 'refundsFeeGross', fee: 'refundsFee' },
  { gross: 'reservedFundsGross', fee: 'reservedFundsFee' },
  { gross: 'retriedPayoutsGross', fee: 'retriedPayoutsFee' },
] as const;

const SUMMARY_FIELDS = SUMMARY.map(({ gross, fee }) => `${gross}{amount} ${fee}{amount}`).join(' ');

export const PAYOUTS = `query Payouts($after:String,$n:Int!){shopifyPaymentsAccount{
  payouts(first:$n,after:$after,sortKey:ISSUED_AT,reverse:true){
    nodes{legacyResourceId issuedAt status transactionType externalTraceId net{amount currencyCode}
      summary{${SUMMARY_FIELDS}}} ${PAGE}}}}`;

/** Newest first. A transfer is the payout itself. */
export const BALANCE_TRANSACTIONS = `query BalanceTransactions($after:String,$n:Int!){shopifyPaymentsAccount{
  balanceTransactions(first:$n,after:$after,sortKey:PROCESSED_AT,reverse:true){
    nodes{id type sourceType test transactionDate amount{amount currencyCode} fee{amount} net{amount}
      associatedOrder{id} associatedPayout{id}} ${PAGE}}}}`;

/** The shop, and the scopes of the token. */
export const SHOP_AND_SCOPES = `query Shop{shop{myshopifyDomain name}
  currentAppInstallation{accessScopes{handle}}}`;

/** Only those of the calling application are listed. */
export const SUBSCRIPTIONS = `query Subscriptions($after:String){
  webhookSubscriptions(first:100,after:$after){nodes{id topic uri} ${PAGE}}}`;

export const SUBSCRIBE = `mutation Subscribe($topic:WebhookSubscriptionTopic!,$uri:String!){
  done:webhookSubscriptionCreate(topic:$topic,webhookSubscription:{uri:$uri,format:JSON}){userErrors{message}}}`;

export const UNSUBSCRIBE = `mutation Unsubscribe($id:ID!){
  done:webhookSubscriptionDelete(id:$id){userErrors{message}}}`;

export const MOVE_SUBSCRIPTION = `mutation MoveSubscription($id:ID!,$uri:String!){
  done:webhookSubscriptionUpdate(id:$id,webhookSubscription:{uri:$uri}){userErrors{message}}}`;
