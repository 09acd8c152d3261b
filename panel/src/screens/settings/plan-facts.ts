import type { Output } from '../../client.ts';
import { planFacts } from './words.ts';

type Terms = Output<'plan.read'>['plans'][number];

/** What a plan has that the one before it does not have. */
export function addedBy(terms: Terms, former: Terms | undefined): string[] {
  if (terms.trial_days !== null)
    return [planFacts.trial(terms.trial_days), planFacts.afterTrial, planFacts.noApi];
  if (!terms.api) return [planFacts.noEnd, planFacts.changes, planFacts.noApi];
  return [...(former ? [planFacts.allOf(former.name)] : []), ...ofApi(terms, former)];
}

function ofApi(terms: Terms, former: Terms | undefined): string[] {
  const isNew = !former?.api;
  const differs = (name: keyof Terms) => isNew || terms[name] !== former?.[name];
  const { requests_per_minute: requests, custom_quota: isCustom } = terms;
  return [
    isNew && planFacts.api,
    differs('webhooks') && planFacts.webhooks[terms.webhooks],
    differs('webhook_endpoints') &&
      terms.webhook_endpoints > 0 &&
      planFacts.endpoints(terms.webhook_endpoints),
    differs('event_days') && terms.event_days > 0 && planFacts.events(terms.event_days),
    differs('requests_per_minute') &&
      (isCustom ? planFacts.customRequests(requests) : planFacts.requests(requests)),
    differs('keys') && planFacts.keys(terms.keys),
  ].filter((fact) => fact !== false);
}
