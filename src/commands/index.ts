/** The table of the operator's commands. They work beside a running instance. */
import type { Command } from './command.ts';

/** Each command's module is loaded on use: a terminal would wait for every module. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  'create-organization': async () => (await import('./organizations.ts')).createOrganizationCommand,
  organizations: async () => (await import('./organizations.ts')).organizationsCommand,
  suspend: async () => (await import('./organizations.ts')).suspendCommand,
  resume: async () => (await import('./organizations.ts')).resumeCommand,
  'create-user': async () => (await import('./users.ts')).createUser,
  members: async () => (await import('./users.ts')).membersCommand,
  'set-role': async () => (await import('./users.ts')).setRoleCommand,
  'remove-member': async () => (await import('./users.ts')).removeMemberCommand,
  'create-key': async () => (await import('./organizations.ts')).createKeyCommand,
  'revoke-key': async () => (await import('./organizations.ts')).revokeKeyCommand,
  'set-plan': async () => (await import('./organizations.ts')).setPlanCommand,
  agents: async () => (await import('./agents.ts')).agentsCommand,
  'disconnect-agent': async () => (await import('./agents.ts')).disconnectAgentCommand,
  connect: async () => (await import('./connect.ts')).connectCommand,
  connections: async () => (await import('./connections.ts')).connectionsCommand,
  disconnect: async () => (await import('./connections.ts')).disconnectCommand,
  alerts: async () => (await import('./troubles.ts')).alertsCommand,
  unreadable: async () => (await import('./troubles.ts')).unreadableCommand,
  sync: async () => (await import('./sync.ts')).syncCommand,
  probe: async () => (await import('./probe.ts')).probeCommand,
  'carrier-webhook': async () => (await import('./carrier-webhook.ts')).carrierWebhook,
  'import-orders': async () => (await import('./import-orders.ts')).importOrders,
  export: async () => (await import('./export.ts')).exportCommand,
  'order-documents': async () => (await import('./order-documents.ts')).orderDocuments,
  'import-products': async () => (await import('./import-products.ts')).importProducts,
  'logistics-settings': async () => (await import('./warehouse.ts')).logisticsSettingsCommand,
  'warehouse-lines': async () => (await import('./warehouse.ts')).warehouseLines,
  'edit-line': async () => (await import('./warehouse.ts')).editLine,
  'generate-guides': async () => (await import('./guides.ts')).generateGuidesCommand,
  'settle-attempt': async () => (await import('./guides.ts')).settleAttemptCommand,
  'guide-labels': async () => (await import('./guides.ts')).guideLabelsCommand,
  'cancel-guide': async () => (await import('./guides.ts')).cancelGuideCommand,
  'set-in-transit': async () => (await import('./guides.ts')).setInTransitCommand,
  'transfer-line': async () => (await import('./warehouse.ts')).transferLineCommand,
  migrate: async () => (await import('./maintenance.ts')).migrateCommand,
  'rotate-secrets': async () => (await import('./maintenance.ts')).rotateSecrets,
};

export type { Command };
