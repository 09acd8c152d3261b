import { z } from 'zod';
import { isTrialOver, TIMEZONES } from '../../../features/organizations/index.ts';
import { ROLE_NAMES, ROLES } from '../../../features/people/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { PAGE_NAMES } from '../../../platform/site-pages.ts';
import { addressOf, frameOf, planInWords, roleIn } from '../../navigation.ts';
import { formVersion } from '../form-version.ts';
import { defineRead } from '../operation.ts';
import { organizationFields } from './organization.ts';

const Link = z.object({
  place: z.enum(PAGE_NAMES),
  name: z.string(),
  address: z.string(),
  group: z.enum(['work', 'organization']),
  letter: z.string().nullable(),
});

/** What surrounds every screen: the person, the organisation, its plan, and the navigation. */
export const readFrameOperation = defineRead({
  action: null,
  capability: null,
  input: inputOf({}),
  output: z.object({
    person: z.object({ name: z.string(), email: z.string() }),
    organization: z.object({
      id: z.string(),
      name: z.string(),
      /** The plan, or what is left of the trial, in words. */
      plan: z.string(),
      role: z.enum(ROLES),
      role_name: z.string(),
      /** Changes are refused; see what the plans offer. */
      is_trial_over: z.boolean(),
      /** Its orders are samples; it can be removed at any time. */
      is_sample: z.boolean(),
      /** Whose days and times are shown. */
      timezone: z.enum(TIMEZONES),
      /** For the change of its name and time zone. */
      version: z.string(),
    }),
    organizations: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        /** The person's role there, in words, and what tells the organisation from its likes. */
        role_name: z.string(),
        address: z.string(),
      }),
    ),
    navigation: z.array(Link),
    /** The names of the operations that the person may call. */
    operations: z.array(z.string()),
  }),
  async run({ handle, clock, person, role, organization, allowed }) {
    const { memberships, links } = await frameOf(handle, person, [organization.id]);
    return {
      person: { name: person.name, email: person.email },
      organization: {
        id: organization.id,
        name: organization.name,
        plan: planInWords(organization, clock.now()),
        role,
        role_name: ROLE_NAMES[role],
        is_trial_over: isTrialOver(organization, clock.now()),
        is_sample: organization.isSample,
        timezone: organization.timezone,
        version: formVersion(organizationFields(organization)),
      },
      organizations: memberships.map((of) => ({
        id: of.organizationId,
        name: of.organizationName,
        role_name: roleIn(of, memberships),
        address: addressOf('home', of.organizationId),
      })),
      navigation: [...links],
      operations: [...allowed],
    };
  },
});
