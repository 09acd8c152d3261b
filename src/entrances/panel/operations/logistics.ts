import { z } from 'zod';
import { CARRIERS } from '../../../carriers/contract.ts';
import { carriersThat } from '../../../carriers/registry.ts';
import { connectedAccounts } from '../../../features/connections/index.ts';
import {
  changeSettings,
  type LogisticsSettings,
  logisticsSettings,
} from '../../../features/warehouse/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formVersion, formVersionField, refuseOldForm } from '../form-version.ts';
import { defineRead, defineWrite } from '../operation.ts';
import { actorOf } from './actors.ts';
import { AddressShape } from './address-shape.ts';

const Guide = z.object({
  destination_tax_id: z.string(),
  country: z.string(),
  package_code: z.string(),
  content: z.string(),
  delivery_type: z.string(),
  payment_form: z.string(),
  acknowledgement: z.string(),
  coverage: z.string(),
  service_type: z.string(),
  product_id: z.string(),
});
const Settings = z.object({
  /** Null = not given yet, and no guide can be made. */
  origin: AddressShape.nullable(),
  carrier: z.enum(CARRIERS),
  /** The account that makes guides where nothing else is chosen; null = it is asked each time. */
  account: z.object({ id: z.string().nullable() }),
  guide: Guide,
});

/** How guides are made: the collection address and the defaults of the carrier's layout. */
export const readLogisticsOperation = defineRead({
  action: 'manage_logistics',
  capability: null,
  input: inputOf({}),
  output: Settings.extend({
    /** For the change of each part. */
    versions: z.object({ origin: z.string(), account: z.string(), guide: z.string() }),
    /** The carriers that make guides. */
    carriers: z.array(z.object({ carrier: z.enum(CARRIERS), name: z.string() })),
    /** The connected accounts of the carrier. */
    accounts: z.array(z.object({ id: z.string(), name: z.string() })),
  }),
  async run({ scope }) {
    const settings = shown(await logisticsSettings(scope));
    const { origin, account, guide, carrier } = settings;
    return {
      ...settings,
      versions: {
        origin: formVersion(origin),
        account: formVersion(account),
        guide: formVersion(guide),
      },
      accounts: (await connectedAccounts(scope, carrier)).map(({ accountId, name }) => ({
        id: accountId,
        name,
      })),
      carriers: carriersThat(({ guides }) => guides !== undefined).map(({ slug, name }) => ({
        carrier: slug,
        name,
      })),
    };
  },
});

/** The feature checks each field and names the first that is wrong. */
const given = (description: string) =>
  z.looseObject({}).meta({ description, examples: [{ content: 'COLCHON' }] });

export const changeLogisticsOperation = defineWrite({
  action: 'manage_logistics',
  capability: null,
  input: inputOf({
    origin: given('El domicilio de recolección.').optional(),
    account: z
      .object({ id: z.string().min(1).max(200).nullable() })
      .optional()
      .meta({
        description: 'La cuenta que genera las guías; id null = preguntar cada vez.',
        examples: [{ id: '12345' }],
      }),
    guide: given('Los valores de la guía que cambian.').optional(),
    /** Of the part that is given. */
    version: formVersionField,
  }),
  output: Settings,
  async run({ database, by, role }, { origin, account, guide, version }) {
    const actor = actorOf({ by, role });
    const change = {
      ...(origin && { origin }),
      ...(account && { carrier_account_id: account.id }),
      ...(guide && { guide }),
    };
    const part = partOf({ origin, account });
    const settings = await database.write(async (scope) => {
      await refuseOldForm(scope, version, async () => shown(await logisticsSettings(scope))[part]);
      return changeSettings(scope, actor, change);
    });
    return shown(settings);
  },
});

function partOf(given: { origin?: unknown; account?: unknown }): 'origin' | 'account' | 'guide' {
  if (given.origin) return 'origin';
  return given.account ? 'account' : 'guide';
}

function shown(settings: LogisticsSettings): z.output<typeof Settings> {
  const { origin, carrier, carrier_account_id: id, guide } = settings;
  return { origin: origin && { ...origin }, carrier, account: { id }, guide: { ...guide } };
}
