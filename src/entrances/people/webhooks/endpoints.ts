/** The requests that list, make, show and change endpoints. */
import { webhookEndpointLimit } from '../../../features/organizations/index.ts';
import {
  changeEndpoint,
  createEndpoint,
  listEndpoints,
} from '../../../features/webhooks-out/index.ts';
import { noteIn } from '../../page.ts';
import { noteEventIn } from '../membership.ts';
import { orShowAgain, type PageRequest, type Reply } from '../page-request.ts';
import { atWebhooks, write } from './access.ts';
import { changeReply, endpointsReply, newReply, secretReply } from './endpoints-pages.ts';
import {
  asked,
  lackOf,
  makeOnce,
  NOTES,
  requireServed,
  said,
  show,
  within,
} from './one-endpoint.ts';
import { NOTHING_TYPED, termsOf, termsOfEndpoint, typedTerms } from './terms-form.ts';

export async function endpointsPage(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'list', async (membership) =>
    endpointsReply(membership, {
      endpoints: await within(request, membership).read(listEndpoints),
      said: noteIn(NOTES, request.query),
    }),
  );
}

export async function newEndpointPage(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'new', async (membership) => {
    requireServed(membership);
    return newReply(membership, {
      typed: NOTHING_TYPED,
      lack: request.people.factorLack(membership.person),
    });
  });
}

/** Shows the secret, this once. */
export async function makeEndpoint(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'new', (membership) =>
    orShowAgain(
      async () => {
        requireServed(membership);
        const detour = lackOf(request, membership, 'new');
        if (detour) return detour;
        const terms = termsOf(typedTerms(request));
        const made = await makeOnce(request, membership, terms, async (scope, by) =>
          createEndpoint(scope, by, terms, await webhookEndpointLimit(scope)),
        );
        noteEventIn(request, membership, 'webhook_endpoint_made', { subject: made.id });
        return secretReply(membership, { ...made, isNew: true });
      },
      ({ message }) =>
        newReply(membership, {
          typed: typedTerms(request),
          lack: request.people.factorLack(membership.person),
          wrong: message,
        }),
    ),
  );
}

export async function endpointPage(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'one', (membership) =>
    show(request, membership, { said: noteIn(NOTES, request.query) }),
  );
}

export async function changePage(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'change', async (membership) => {
    requireServed(membership);
    const detour = lackOf(request, membership, 'change');
    if (detour) return detour;
    const endpoint = await asked(request, membership);
    return changeReply(membership, { endpoint, typed: termsOfEndpoint(endpoint) });
  });
}

export async function changeOne(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'change', async (membership) => {
    const endpoint = await asked(request, membership);
    return orShowAgain(
      async () => {
        requireServed(membership);
        const detour = lackOf(request, membership, 'change');
        if (detour) return detour;
        const { headers, signature: _fixed, ...terms } = termsOf(typedTerms(request));
        const drops = request.form.has('sin-encabezados');
        const isKept = !drops && Object.keys(headers).length === 0;
        const change = { ...terms, ...(isKept ? {} : { headers }) };
        await write(request, membership, (scope, by) =>
          changeEndpoint(scope, by, endpoint.id, change),
        );
        return said(request, membership, endpoint, 'webhook_endpoint_changed', 'cambiado');
      },
      ({ message }) =>
        changeReply(membership, { endpoint, typed: typedTerms(request), wrong: message }),
    );
  });
}
