/** Every operation of the panel. The panel imports the types of this table and nothing else. */

import type { z } from 'zod';
import type { AnyOperation } from './operation.ts';
import {
  listAlertsOperation,
  listResolvedAlertsOperation,
  readAlertMailsOperation,
  reopenAlertOperation,
  setAlertMailsOperation,
  settleAlertOperation,
} from './operations/alerts.ts';
import {
  listBalancesOperation,
  listSettlementsOperation,
  setFloorOperation,
} from './operations/balances.ts';
import { viewBillingDataOperation } from './operations/billing-data.ts';
import {
  getCfdiOperation,
  linkCfdiOperation,
  linkToArchiveOperation,
  linkToXmlOperation,
  listCfdisOperation,
  readUploadOperation,
  uploadCfdisOperation,
} from './operations/cfdis.ts';
import { checkOrdersOperation } from './operations/check-orders.ts';
import { checkResultOperation } from './operations/check-result.ts';
import { readClockOperation } from './operations/clock.ts';
import {
  beginConsentOperation,
  connectOperation,
  disconnectOperation,
  eventAddressOperation,
  knownFieldsOperation,
  pauseOperation,
  renameOperation,
  syncSoonOperation,
  waysOperation,
} from './operations/connecting.ts';
import { connectionOverviewOperation } from './operations/connection-overview.ts';
import { listConnectionsOperation } from './operations/connections.ts';
import { addEquivalenceOperation, removeEquivalenceOperation } from './operations/equivalences.ts';
import { readFiguresOperation } from './operations/figures.ts';
import {
  explainFindingOperation,
  getFindingOperation,
  listFindingsOperation,
} from './operations/findings.ts';
import { listImportsOperation } from './operations/first-imports.ts';
import {
  changeFiscalProfileOperation,
  readFiscalProfileOperation,
} from './operations/fiscal-profile.ts';
import { readFrameOperation } from './operations/frame.ts';
import { planGuidesOperation } from './operations/guide-plans.ts';
import {
  cancelGuideOperation,
  readBatchOperation,
  readLabelsOperation,
  recentBatchesOperation,
  requestGuidesOperation,
  settleAttemptOperation,
} from './operations/guides.ts';
import { getSkuOperation, listInventoryOperation } from './operations/inventory.ts';
import { endingKeysOperation } from './operations/keys.ts';
import {
  editLineOperation,
  getLineOperation,
  listLinesOperation,
  transferLineOperation,
  undoTransferOperation,
} from './operations/lines.ts';
import { changeLogisticsOperation, readLogisticsOperation } from './operations/logistics.ts';
import { listCfdisOfOrderOperation } from './operations/order-cfdis.ts';
import {
  countOpenOperation,
  getOrderOperation,
  listOrdersOperation,
  orderWordsOperation,
} from './operations/orders.ts';
import { changeOrganizationOperation } from './operations/organization.ts';
import { getPayoutOperation } from './operations/payouts.ts';
import { readPlanOperation, requestPlanOperation } from './operations/plan.ts';
import { changeProductOperation } from './operations/products.ts';
import { salesSummaryOperation, todaySalesOperation } from './operations/sales.ts';
import { makeSampleOperation, removeSampleOperation } from './operations/samples.ts';
import { listSetAsideOperation } from './operations/set-aside.ts';
import {
  getShipmentOperation,
  listOrphansOperation,
  listShipmentsOperation,
} from './operations/shipment-screens.ts';
import { listShipmentsOfOrderOperation } from './operations/shipments.ts';
import { listRunsOperation } from './operations/sync-runs.ts';
import { transferLinesOperation } from './operations/transfers.ts';
import { listUninvoicedOperation, sumUninvoicedOperation } from './operations/uninvoiced.ts';
import { readUsageOperation, usageMeterOperation } from './operations/usage.ts';
import { listViewsOperation, removeViewOperation, saveViewOperation } from './operations/views.ts';
import { countLinesOperation } from './operations/warehouse.ts';
import { readJobOperation, setInTransitOperation } from './operations/warehouse-jobs.ts';
import { listWithheldOperation } from './operations/withheld.ts';
import { listWithheldLinesOperation } from './operations/withheld-lines.ts';

const OPERATIONS = {
  'alerts.list': listAlertsOperation,
  'alerts.resolved': listResolvedAlertsOperation,
  'alerts.mails': readAlertMailsOperation,
  'alerts.set-mails': setAlertMailsOperation,
  'alerts.settle': settleAlertOperation,
  'alerts.reopen': reopenAlertOperation,
  'balances.list': listBalancesOperation,
  'balances.set-floor': setFloorOperation,
  'billing-data.view': viewBillingDataOperation,
  'cfdis.of-order': listCfdisOfOrderOperation,
  'cfdis.get': getCfdiOperation,
  'cfdis.link': linkCfdiOperation,
  'cfdis.list': listCfdisOperation,
  'cfdis.uninvoiced': listUninvoicedOperation,
  'cfdis.uninvoiced-sums': sumUninvoicedOperation,
  'cfdis.upload': uploadCfdisOperation,
  'cfdis.upload-progress': readUploadOperation,
  'cfdis.archive': linkToArchiveOperation,
  'cfdis.xml': linkToXmlOperation,
  'clock.read': readClockOperation,
  'connections.begin-consent': beginConsentOperation,
  'connections.connect': connectOperation,
  'connections.disconnect': disconnectOperation,
  'connections.event-address': eventAddressOperation,
  'connections.imports': listImportsOperation,
  'connections.known-fields': knownFieldsOperation,
  'connections.list': listConnectionsOperation,
  'connections.overview': connectionOverviewOperation,
  'connections.pause': pauseOperation,
  'connections.check-orders': checkOrdersOperation,
  'connections.check-result': checkResultOperation,
  'connections.rename': renameOperation,
  'connections.runs': listRunsOperation,
  'connections.set-aside': listSetAsideOperation,
  'connections.sync-soon': syncSoonOperation,
  'connections.ways': waysOperation,
  'findings.explain': explainFindingOperation,
  'findings.get': getFindingOperation,
  'findings.list': listFindingsOperation,
  'figures.read': readFiguresOperation,
  'fiscal-profile.change': changeFiscalProfileOperation,
  'fiscal-profile.read': readFiscalProfileOperation,
  'frame.read': readFrameOperation,
  'guides.batch': readBatchOperation,
  'guides.batches': recentBatchesOperation,
  'guides.cancel': cancelGuideOperation,
  'guides.labels': readLabelsOperation,
  'guides.plan': planGuidesOperation,
  'guides.request': requestGuidesOperation,
  'guides.settle': settleAttemptOperation,
  'lines.edit': editLineOperation,
  'lines.get': getLineOperation,
  'lines.list': listLinesOperation,
  'lines.set-in-transit': setInTransitOperation,
  'lines.transfer': transferLineOperation,
  'lines.transfer-all': transferLinesOperation,
  'lines.undo-transfer': undoTransferOperation,
  'inventory.get': getSkuOperation,
  'inventory.list': listInventoryOperation,
  'keys.ending': endingKeysOperation,
  'logistics.change': changeLogisticsOperation,
  'logistics.read': readLogisticsOperation,
  'orders.get': getOrderOperation,
  'orders.list': listOrdersOperation,
  'orders.open': countOpenOperation,
  'orders.words': orderWordsOperation,
  'sales.summary': salesSummaryOperation,
  'organization.change': changeOrganizationOperation,
  'payouts.get': getPayoutOperation,
  'plan.read': readPlanOperation,
  'plan.request': requestPlanOperation,
  'products.add-equivalence': addEquivalenceOperation,
  'products.change': changeProductOperation,
  'products.remove-equivalence': removeEquivalenceOperation,
  'sales.today': todaySalesOperation,
  'samples.make': makeSampleOperation,
  'samples.remove': removeSampleOperation,
  'settlements.list': listSettlementsOperation,
  'shipments.get': getShipmentOperation,
  'shipments.list': listShipmentsOperation,
  'shipments.orphans': listOrphansOperation,
  'shipments.of-order': listShipmentsOfOrderOperation,
  'usage.meter': usageMeterOperation,
  'usage.read': readUsageOperation,
  'views.list': listViewsOperation,
  'views.remove': removeViewOperation,
  'views.save': saveViewOperation,
  'warehouse.count': countLinesOperation,
  'warehouse.job': readJobOperation,
  'withheld.lines': listWithheldLinesOperation,
  'withheld.list': listWithheldOperation,
} as const;

type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;

/** What the panel knows of each operation. */
export type Contract = {
  readonly [Name in OperationName]: {
    readonly kind: Operations[Name]['kind'];
    readonly input: z.input<Operations[Name]['input']>;
    readonly output: z.output<Operations[Name]['output']>;
  };
};

/** The operations for the code that calls any of them: inputs were checked by their own schemas. */
export const TABLE = OPERATIONS as unknown as Readonly<Record<OperationName, AnyOperation>>;

export function findOperation(name: string): AnyOperation | null {
  return Object.hasOwn(TABLE, name) ? TABLE[name as OperationName] : null;
}
