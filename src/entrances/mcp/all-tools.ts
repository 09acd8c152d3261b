import type { AnyTool } from './tool.ts';
import { getAccountTool } from './tools/get-account.ts';
import { getBalancesTool } from './tools/get-balances.ts';
import { getInventoryTool } from './tools/get-inventory.ts';
import { getOrderTool } from './tools/get-order.ts';
import { getSalesSummaryTool } from './tools/get-sales-summary.ts';
import { listCfdisTool } from './tools/list-cfdis.ts';
import { listOrdersTool } from './tools/list-orders.ts';
import { listShipmentsTool } from './tools/list-shipments.ts';

/** The tools, in the order in which agents see them. */
export const TOOLS = [
  getAccountTool,
  listOrdersTool,
  getOrderTool,
  getSalesSummaryTool,
  getInventoryTool,
  listCfdisTool,
  getBalancesTool,
  listShipmentsTool,
] as readonly unknown[] as readonly AnyTool[];

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

export function findTool(name: string): AnyTool | null {
  return BY_NAME.get(name) ?? null;
}
