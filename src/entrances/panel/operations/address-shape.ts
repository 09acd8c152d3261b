import { z } from 'zod';

/** The address that a parcel leaves from or goes to. */
export const AddressShape = z.object({
  name: z.string(),
  street: z.string(),
  number: z.string(),
  colony: z.string(),
  municipality: z.string(),
  city: z.string(),
  state: z.string(),
  zipcode: z.string(),
  phone: z.string(),
  email: z.string().nullable(),
});
