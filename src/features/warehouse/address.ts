import { z } from 'zod';
import { invalid } from '../../platform/failure.ts';

/** The origin or destination of a parcel, with the fields that Mexican carriers require. */
export interface Address {
  readonly name: string;
  readonly street: string;
  /** Outside number, and the inside one where there is one. */
  readonly number: string;
  readonly colony: string;
  readonly municipality: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
  readonly phone: string;
  readonly email: string | null;
}

export const AddressShape: z.ZodType<Address> = z.strictObject(
  {
    name: requiredText(100),
    street: requiredText(100),
    number: requiredText(15),
    colony: requiredText(100),
    municipality: requiredText(100),
    city: requiredText(100),
    state: requiredText(60),
    zipcode: shaped(/^\d{5}$/, 'debe tener cinco dígitos'),
    phone: shaped(/^\d{10}$/, 'debe tener diez dígitos'),
    email: shaped(
      /^[^\s@]{1,64}@[^\s@.]{1,63}(?:\.[^\s@.]{1,63}){1,10}$/,
      'debe ser un correo electrónico',
    )
      .nullish()
      .transform((email) => email ?? null),
  },
  { error: faultOfObject },
);

/** @throws Failure invalid_request that names the field */
export function readAddress(typed: unknown, param: string): Address {
  return readShape(AddressShape, typed, param);
}

/** @throws Failure invalid_request that names the first wrong field */
export function readShape<T>(shape: z.ZodType<T>, typed: unknown, param: string): T {
  const parsed = shape.safeParse(typed);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = [param, ...(issue?.path ?? [])].join('.');
  throw invalid(path, `El campo ${path} ${issue?.message ?? 'no es válido'}.`);
}

/** A text of 1 to `most` characters, without spaces around it. */
export function requiredText(most: number) {
  return z
    .string({ error: faultOfText })
    .trim()
    .min(1, { error: 'no puede estar vacío' })
    .max(most, { error: `admite hasta ${most} caracteres` })
    .refine((text) => !text.includes('\0') && text.isWellFormed(), {
      error: 'tiene caracteres que no son texto',
    });
}

export function shaped(pattern: RegExp, sentence: string) {
  return z.string({ error: faultOfText }).trim().regex(pattern, { error: sentence });
}

export function faultOfObject(issue: { code?: string; keys?: readonly string[] }): string {
  if (issue.code === 'unrecognized_keys') return `no conoce: ${(issue.keys ?? []).join(', ')}`;
  return 'debe ser un objeto JSON';
}

export function faultOfText({ input }: { input?: unknown }): string {
  return input === undefined ? 'falta' : 'debe ser un texto';
}
