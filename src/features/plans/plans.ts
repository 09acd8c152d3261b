/** The price and limits of each plan, which all code and the sentences of the API read. */
export const PLANS = {
  demo: {
    name: 'Demo',
    pricePerMonth: 0,
    trialDays: 14,
    api: false,
    webhooks: 'none',
    eventDays: 0,
    webhookEndpoints: 0,
    requestsPerMinute: 500,
    customQuota: false,
    keys: 10,
  },
  basico: {
    name: 'Básico',
    pricePerMonth: 499,
    trialDays: null,
    api: false,
    webhooks: 'none',
    eventDays: 0,
    webhookEndpoints: 0,
    requestsPerMinute: 500,
    customQuota: false,
    keys: 10,
  },
  intermedio: {
    name: 'Intermedio',
    pricePerMonth: 999,
    trialDays: null,
    api: true,
    webhooks: 'read',
    eventDays: 7,
    webhookEndpoints: 0,
    requestsPerMinute: 500,
    customQuota: false,
    keys: 10,
  },
  avanzado: {
    name: 'Avanzado',
    pricePerMonth: 2999,
    trialDays: null,
    api: true,
    webhooks: 'full',
    eventDays: 30,
    webhookEndpoints: 5,
    requestsPerMinute: 500,
    customQuota: false,
    keys: 10,
  },
  experto: {
    name: 'Experto',
    pricePerMonth: null,
    trialDays: null,
    api: true,
    webhooks: 'full',
    eventDays: 30,
    webhookEndpoints: 20,
    requestsPerMinute: 2000,
    customQuota: true,
    keys: 50,
  },
} as const satisfies Record<string, PlanTerms>;

export type Plan = keyof typeof PLANS;

export interface PlanTerms {
  readonly name: string;
  /** Amount only; null = agreed with each customer. */
  readonly pricePerMonth: number | null;
  readonly trialDays: number | null;
  /** REST and MCP alike. */
  readonly api: boolean;
  readonly webhooks: 'none' | 'read' | 'full';
  /** How far back the event log is shown; 0 = not at all. */
  readonly eventDays: number;
  /** To which events are delivered; only with `full`. */
  readonly webhookEndpoints: number;
  readonly requestsPerMinute: number;
  /** Whether another figure may be agreed with each customer. */
  readonly customQuota: boolean;
  /** Active API keys. */
  readonly keys: number;
}

/** «Intermedio o superior»: the plans that include the API. Plans are in the order of their price. */
export function plansWithApi(): string {
  const [least] = Object.values(PLANS).filter(({ api }) => api);
  return `${least?.name} o superior`;
}

/** Requests a minute of every plan, where no other figure was agreed. */
export const USUAL_QUOTA: number = PLANS.intermedio.requestsPerMinute;

export function isPlan(text: string): text is Plan {
  return Object.hasOwn(PLANS, text);
}

export function termsOf(plan: Plan): PlanTerms {
  return PLANS[plan];
}
