import { z } from 'zod';
import { SERVICES } from '../../carriers/registry.ts';
import { newId } from '../../platform/ids.ts';
import { defineJob } from '../../platform/job.ts';
import { type Keyring, seal, unseal } from '../../platform/seal.ts';
import { connect } from '../connect/connect.ts';
import type { ExchangeParts } from '../parts.ts';

const payload = z.object({
  organizationId: z.string(),
  service: z.enum(SERVICES),
  baseUrl: z.string().nullable(),
  ticket: z.string(),
  box: z.string(),
});

/** Connects an account for the operator. */
export const connectNowJob = defineJob({
  name: 'connect-now',
  policy: 'standard',
  retries: 0,
  concurrency: 8,
  payload,
  async run(parts: ExchangeParts, { organizationId, service, baseUrl, ticket, box }) {
    const credentials = JSON.parse(unseal(parts.keyring, bindingOf(organizationId, ticket), box));
    const { connectionId } = await connect(parts, {
      organizationId,
      service,
      baseUrl,
      credentials,
    });
    return { connection_id: connectionId };
  },
});

/** The payload of the job; the credentials are sealed in it. */
export function sealConnection(
  keyring: Keyring,
  wanted: Pick<z.infer<typeof payload>, 'organizationId' | 'service' | 'baseUrl'>,
  credentials: unknown,
): z.infer<typeof payload> {
  const ticket = newId();
  const box = seal(keyring, bindingOf(wanted.organizationId, ticket), JSON.stringify(credentials));
  return { ...wanted, ticket, box };
}

function bindingOf(organizationId: string, ticket: string) {
  return { organizationId, subjectId: ticket, field: 'typed' };
}
