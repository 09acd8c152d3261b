import { z } from 'zod';
import { type Members, membersIn } from '../../platform/documents.ts';
import { schemaOf, type View } from '../../platform/fields.ts';
import type { Written } from './tool.ts';

/** The view that the argument `fields` of a list asks for. */
export const VIEW_OF = { compact: 'list', full: 'detail' } as const satisfies Record<string, View>;

/**
 * The schema of a list's row: what only its detail has, or only some readers see, may be absent.
 */
export function rowOf<Of>(table: Members<Of>): z.ZodObject<Record<string, z.ZodType>> {
  const brief = membersIn('list', table);
  const rows = Object.entries(membersIn('detail', table)).map(([name, { field, isEarnings }]) => {
    const notes = [
      ...(name in brief ? [] : ['Con fields full.']),
      ...(isEarnings
        ? ['Falta si el rol de la persona en su organización no ve el dinero del vendedor.']
        : []),
    ];
    const schema = schemaOf(field);
    const shown = [field.description, ...notes].join(' ');
    return [name, notes.length === 0 ? schema : schema.optional().describe(shown)] as const;
  });
  return z.object(Object.fromEntries(rows));
}

/** The answer of a list: its rows, which are JSON texts, and the keys beside them. */
export function written(rows: readonly string[], rest: object): Written {
  const others = JSON.stringify(rest);
  return {
    written: `{"data":[${rows.join(',')}]${others === '{}' ? '' : `,${others.slice(1, -1)}`}}`,
    rows: rows.length,
  };
}
