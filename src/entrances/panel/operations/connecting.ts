import { z } from 'zod';
import { CARRIERS } from '../../../carriers/contract.ts';
import { SERVICES } from '../../../carriers/registry.ts';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { connect } from '../../../exchange/connect/connect.ts';
import { beginConsent } from '../../../exchange/connect/consent.ts';
import { disconnectAccount } from '../../../exchange/connect/disconnect.ts';
import { webhookAddress } from '../../../exchange/connect/event-address.ts';
import { knownFields } from '../../../exchange/connect/known-fields.ts';
import { pauseAccount, resumeAccount } from '../../../exchange/connect/pause.ts';
import { renameAccount } from '../../../exchange/connect/rename.ts';
import { syncSoon } from '../../../exchange/connect/sync-soon.ts';
import { faultsOfForm } from '../../../exchange/connect/typed-credentials.ts';
import { waysToConnect } from '../../../exchange/connect/ways.ts';
import { connectionById } from '../../../features/connections/index.ts';
import { FACTOR_LACKS } from '../../../features/people/index.ts';
import { fail } from '../../../platform/failure.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { defineRead, defineWrite } from '../operation.ts';

const MANAGE = { action: 'manage_connections', capability: null } as const;
const MANAGE_SECRETS = { ...MANAGE, needsSecondFactor: true } as const;
const EXAMPLE_ID = '019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90';
const MOST_FIELDS = 20;
const LONGEST_FIELD = 4_000;
const LONGEST_NAME = 200;

const accountId = z
  .string()
  .max(LONGEST_FIELD)
  .nullable()
  .default(null)
  .meta({ description: 'La cuenta que se reconecta; sin ella, cualquiera.', examples: ['123456'] });
const connectionId = z.uuid().meta({ description: 'La cuenta conectada.', examples: [EXAMPLE_ID] });

/** How each service is connected here. */
export const waysOperation = defineRead({
  ...MANAGE,
  input: inputOf({}),
  output: z.object({
    data: z.array(
      z.object({
        service: z.enum(SERVICES),
        name: z.string(),
        is_carrier: z.boolean(),
        /** Null = that way is not open here. */
        consent: z.object({ asks_for_store: z.boolean() }).nullable(),
        form: z
          .object({
            help: z.string(),
            steps: z.array(z.string()),
            fields: z.array(
              z.object({
                name: z.string(),
                label: z.string(),
                hint: z.string(),
                is_secret: z.boolean(),
                is_optional: z.boolean(),
              }),
            ),
          })
          .nullable(),
        /** Null = the service is given no address. */
        event_address: z.object({ is_made: z.boolean() }).nullable(),
      }),
    ),
    /** What this session lacks to connect anything; null = nothing. */
    factor_lack: z.enum(FACTOR_LACKS).nullable(),
    /** The operator's mail, for services that cannot be connected here; null = none is configured. */
    support_email: z.string().nullable(),
  }),
  async run({ scope, exchange, factorLack, operator }) {
    const ways = await waysToConnect(exchange, scope);
    return {
      factor_lack: factorLack,
      support_email: operator.supportEmail,
      data: ways.map(({ service, name, consent, form, eventAddress }) => ({
        service,
        name,
        is_carrier: (CARRIERS as readonly string[]).includes(service),
        consent: consent && { asks_for_store: consent.asksForStore },
        form: form && {
          help: form.help,
          steps: [...(form.steps ?? [])],
          fields: form.fields.map((field) => ({
            name: field.name,
            label: field.label,
            hint: field.hint,
            is_secret: field.isSecret ?? false,
            is_optional: field.isOptional ?? false,
          })),
        },
        event_address: eventAddress && { is_made: eventAddress.isMade },
      })),
    };
  },
});

/** What the form of a connected account already has; no secrets. */
export const knownFieldsOperation = defineRead({
  ...MANAGE,
  input: inputOf({ connection_id: connectionId }),
  output: z.object({ fields: z.record(z.string(), z.string()) }),
  run: async ({ scope, exchange, factorLack }, { connectionId: id }) => ({
    // Without the second factor nothing can be connected, so nothing of it is shown.
    fields: factorLack === null ? await knownFields(exchange, scope, id) : {},
  }),
});

/** Begins a consent; the browser goes to its address. */
export const beginConsentOperation = defineWrite({
  ...MANAGE_SECRETS,
  input: inputOf({
    marketplace: z
      .enum(MARKETPLACES)
      .meta({ description: 'El marketplace.', examples: [MARKETPLACES[0]] }),
    store: z
      .string()
      .max(LONGEST_FIELD)
      .nullable()
      .default(null)
      .meta({ description: 'El dominio de la tienda.', examples: ['mitienda.example'] }),
    account_id: accountId,
  }),
  output: z.object({ address: z.string() }),
  run: async ({ exchange, organization, person }, { accountId: wanted, ...of }) => ({
    address: await beginConsent(exchange, organization.id, of.marketplace, {
      store: of.store,
      accountId: wanted,
      begunBy: person.id,
    }),
  }),
});

/** Connects an account by typed credentials, proved at the service first. */
export const connectOperation = defineWrite({
  ...MANAGE_SECRETS,
  input: inputOf({
    service: z
      .enum(SERVICES)
      .meta({ description: 'El marketplace o la paquetería.', examples: [SERVICES[0]] }),
    fields: z
      .record(z.string().max(100), z.string().trim().max(LONGEST_FIELD))
      .refine((fields) => Object.keys(fields).length <= MOST_FIELDS)
      .meta({ description: 'Lo que se escribió, por campo.', examples: [{ api_key: '…' }] }),
    account_id: accountId,
  }),
  output: z.object({
    /** Null = something that was typed is wrong; nothing was sent anywhere. */
    connected: z.object({ id: z.string(), name: z.string() }).nullable(),
    faults: z.array(z.object({ field: z.string(), message: z.string() })),
  }),
  async run({ exchange, organization, by, signal }, { service, fields, accountId: wanted }) {
    const typed = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
    const faults = faultsOfForm(service, typed);
    if (faults.length > 0) return { connected: null, faults };
    const { connectionId: id, account } = await connect(exchange, {
      organizationId: organization.id,
      service,
      credentials: typed,
      baseUrl: null,
      by,
      isForm: true,
      accountId: wanted,
      signal,
    });
    return { connected: { id, name: account.name }, faults: [] };
  },
});

/** Forgets the credentials; what was synchronised stays. */
export const disconnectOperation = defineWrite({
  ...MANAGE_SECRETS,
  isOpenAfterTrial: true,
  input: inputOf({ connection_id: connectionId }),
  output: z.object({
    /** Whether webhooks that we registered at the service could not be removed there. */
    webhooks_left: z.boolean(),
  }),
  async run({ exchange, organization, database, by }, { connectionId: id }) {
    const connection = await database.read((scope) => connectionById(scope, id));
    if (!connection) throw fail('not_found');
    if (connection.state === 'disconnected') return { webhooks_left: false };
    const pushes = await disconnectAccount(exchange, organization.id, id, by);
    return { webhooks_left: pushes === 'left' };
  },
});

/** Synchronises an account within seconds. */
export const syncSoonOperation = defineWrite({
  ...MANAGE,
  input: inputOf({ connection_id: connectionId }),
  output: z.object({ is_due: z.literal(true) }),
  async run({ database }, { connectionId: id }) {
    await database.write((scope) => syncSoon(scope, id));
    return { is_due: true } as const;
  },
});

/** Pauses an account, or resumes it. */
export const pauseOperation = defineWrite({
  ...MANAGE,
  input: inputOf({
    connection_id: connectionId,
    is_paused: z.boolean().meta({ description: 'Si queda en pausa.', examples: [true] }),
  }),
  output: z.object({ is_paused: z.boolean() }),
  async run({ exchange, organization, by }, { connectionId: id, isPaused }) {
    const change = isPaused ? pauseAccount : resumeAccount;
    await change(exchange, organization.id, id, by);
    return { is_paused: isPaused };
  },
});

/** Gives an account a name of the organisation's own. */
export const renameOperation = defineWrite({
  ...MANAGE,
  input: inputOf({
    connection_id: connectionId,
    name: z
      .string()
      .max(LONGEST_NAME)
      .meta({ description: 'El nombre de la cuenta.', examples: ['Tienda del centro'] }),
  }),
  output: z.object({ is_named: z.literal(true) }),
  async run({ database, by }, { connectionId: id, name }) {
    await database.write((scope) => renameAccount(scope, id, name, by));
    return { is_named: true } as const;
  },
});

/** The address that the seller gives to a carrier; the former one works for a day. */
export const eventAddressOperation = defineWrite({
  ...MANAGE_SECRETS,
  input: inputOf({
    carrier: z.enum(CARRIERS).meta({ description: 'La paquetería.', examples: [CARRIERS[0]] }),
    rotate: z
      .boolean()
      .default(false)
      .meta({ description: 'Si se cambia por otra.', examples: [false] }),
  }),
  output: z.object({ address: z.string() }),
  run: async ({ exchange, organization, by }, { carrier, rotate }) => ({
    address: await webhookAddress(exchange, organization, carrier, { rotate, by }),
  }),
});
