import { z } from 'zod';
import {
  changeOrganization,
  findOrganization,
  type Organization,
  TIMEZONES,
} from '../../../features/organizations/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formVersionField, refuseOldForm } from '../form-version.ts';
import { defineWrite } from '../operation.ts';

const MOST_NAME = 200;

/** What the organisation is called, and in whose days and hours it thinks. */
export const changeOrganizationOperation = defineWrite({
  action: 'manage_organization',
  capability: null,
  input: inputOf({
    name: z
      .string()
      .max(MOST_NAME)
      .meta({ description: 'El nombre de la organización.', examples: ['Papelería Sol'] }),
    timezone: z
      .enum(TIMEZONES)
      .meta({ description: 'La zona horaria de sus días.', examples: [TIMEZONES[0]] }),
    version: formVersionField,
  }),
  output: z.object({ changed: z.literal(true) }),
  async run({ database, by }, { name, timezone, version }) {
    await database.write(async (scope) => {
      await refuseOldForm(scope, version, async () => {
        const known = await findOrganization(scope.handle, scope.organizationId);
        return known && organizationFields(known);
      });
      await changeOrganization(scope, by, { name, timezone });
    });
    return { changed: true as const };
  },
});

/** What its form edits. */
export function organizationFields({ name, timezone }: Pick<Organization, 'name' | 'timezone'>) {
  return { name, timezone };
}
