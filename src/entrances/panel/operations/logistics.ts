import { z } from 'zod';
import { CARRIERS } from '../../../carriers/contract.ts';
import { carriersThat } from '../../../carriers/registry.ts';
import { changeSettings, logisticsSettings } from '../../../features/warehouse/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formVersion, formVersionField, refuseOldForm } from '../form-version.ts';
import { defineRead, defineWrite } from '../operation.ts';
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
  guide: Guide,
});

/** How guides are made: the collection address and the defaults of the carrier's layout. */
export const readLogisticsOperation = defineRead({
  action: 'manage_logistics',
  capability: null,
  input: inputOf({}),
  output: Settings.extend({
    /** For the change of each part. */
    versions: z.object({ origin: z.string(), guide: z.string() }),
    /** The carriers that make guides. */
    carriers: z.array(z.object({ carrier: z.enum(CARRIERS), name: z.string() })),
  }),
  async run({ scope }) {
    const settings = shown(await logisticsSettings(scope));
    const { origin, guide } = settings;
    return {
      ...settings,
      versions: { origin: formVersion(origin), guide: formVersion(guide) },
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
    guide: given('Los valores de la guía que cambian.').optional(),
    /** Of the part that is given. */
    version: formVersionField,
  }),
  output: Settings,
  async run({ database, by, role }, { origin, guide, version }) {
    const actor = { kind: 'person', id: by.personId, role } as const;
    const change = { ...(origin && { origin }), ...(guide && { guide }) };
    const part = origin ? 'origin' : 'guide';
    const settings = await database.write(async (scope) => {
      await refuseOldForm(scope, version, async () => shown(await logisticsSettings(scope))[part]);
      return changeSettings(scope, actor, change, by.address);
    });
    return shown(settings);
  },
});

function shown({ origin, carrier, guide }: z.output<typeof Settings>) {
  return { origin: origin && { ...origin }, carrier, guide: { ...guide } };
}
