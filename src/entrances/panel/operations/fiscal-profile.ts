import { z } from 'zod';
import {
  type FiscalProfile,
  fiscalProfile,
  PERSONS,
  REGIMES,
  setFiscalProfile,
} from '../../../features/cfdi/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formVersion, formVersionField, refuseOldForm } from '../form-version.ts';
import { defineRead, defineWrite } from '../operation.ts';

const MOST_TYPED = 50;
const Profile = z.object({
  rfcs: z.array(z.string()),
  /** Null = not given. */
  person: z.enum(PERSONS).nullable(),
  regime: z.string().nullable(),
  has_border_vat: z.boolean(),
});

/** The organisation as a taxpayer, and the regimes to choose from. */
export const readFiscalProfileOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({}),
  output: Profile.extend({
    /** For its change. */
    version: z.string(),
    regimes: z.array(
      z.object({ code: z.string(), name: z.string(), persons: z.array(z.enum(PERSONS)) }),
    ),
  }),
  async run({ scope }) {
    const regimes = REGIMES.map(({ persons, ...one }) => ({ ...one, persons: [...persons] }));
    const profile = shown(await fiscalProfile(scope));
    return { ...profile, version: formVersion(profile), regimes };
  },
});

/** Whose the documents are follows from it at once. */
export const changeFiscalProfileOperation = defineWrite({
  action: 'manage_organization',
  capability: null,
  input: inputOf({
    rfcs: z
      .array(z.string().max(MOST_TYPED))
      .max(MOST_TYPED)
      .meta({ description: 'Los RFC con los que factura.', examples: [['TDE200115AB1']] }),
    person: z
      .enum(PERSONS)
      .nullable()
      .meta({ description: 'Persona física o moral.', examples: ['legal'] }),
    regime: z
      .string()
      .max(MOST_TYPED)
      .nullable()
      .meta({ description: 'La clave del régimen en el SAT.', examples: ['601'] }),
    has_border_vat: z
      .boolean()
      .meta({ description: 'Si cobra IVA de 8 % en la frontera.', examples: [false] }),
    version: formVersionField,
  }),
  output: Profile.extend({
    /** CFDI that are issued, received or other now, and were not before. */
    redirected: z.int(),
  }),
  run: ({ database, by }, { version, ...given }) =>
    database.write(async (scope) => {
      await refuseOldForm(scope, version, async () => shown(await fiscalProfile(scope)));
      const redirected = await setFiscalProfile(scope, by, given);
      return { ...shown(await fiscalProfile(scope)), redirected };
    }),
});

function shown({ rfcs, person, regime, hasBorderVat }: FiscalProfile): z.output<typeof Profile> {
  return { rfcs: [...rfcs], person, regime, has_border_vat: hasBorderVat };
}
