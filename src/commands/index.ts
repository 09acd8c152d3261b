/** What an operator can do from a terminal, one table. Works beside a running house. */

import type { Command } from './command.ts';
import { connectCommand } from './connect.ts';
import { connectionsCommand, disconnectCommand } from './connections.ts';
import {
  cancelGuideCommand,
  generateGuidesCommand,
  guideLabelsCommand,
  setInTransitCommand,
  settleAttemptCommand,
} from './guides.ts';
import { importOrders } from './import-orders.ts';
import { importProducts } from './import-products.ts';
import { migrateCommand, rotateSecrets } from './maintenance.ts';
import {
  createKeyCommand,
  createOrganizationCommand,
  revokeKeyCommand,
  setPlanCommand,
} from './organizations.ts';
import { paquetexpressWebhook } from './paquetexpress-webhook.ts';
import { syncCommand } from './sync.ts';
import { editLine, logisticsSettingsCommand, transferLineCommand, warehouseLines } from './warehouse.ts';

export const COMMANDS: Readonly<Record<string, Command>> = {
  'create-organization': createOrganizationCommand,
  'create-key': createKeyCommand,
  'revoke-key': revokeKeyCommand,
  'set-plan': setPlanCommand,
  connect: connectCommand,
  connections: connectionsCommand,
  disconnect: disconnectCommand,
  sync: syncCommand,
  'paquetexpress-webhook': paquetexpressWebhook,
  'import-orders': importOrders,
  'import-products': importProducts,
  'logistics-settings': logisticsSettingsCommand,
  'warehouse-lines': warehouseLines,
  'edit-line': editLine,
  'generate-guides': generateGuidesCommand,
  'settle-attempt': settleAttemptCommand,
  'guide-labels': guideLabelsCommand,
  'cancel-guide': cancelGuideCommand,
  'set-in-transit': setInTransitCommand,
  'transfer-line': transferLineCommand,
  migrate: migrateCommand,
  'rotate-secrets': rotateSecrets,
};

export type { Command };
