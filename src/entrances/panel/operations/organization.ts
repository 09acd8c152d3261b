import { z } from 'zod';
import { changeOrganization, TIMEZONES } from '../../../features/organizations/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
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
  }),
  output: z.object({ changed: z.literal(true) }),
  async run({ database, by }, change) {
    await database.write((scope) => changeOrganization(scope, by, change));
    return { changed: true as const };
  },
});
