import type { ServiceSlug } from '../../../carriers/contract.ts';
import { serviceName } from '../../../carriers/registry.ts';
import { type ReadableColumn, shown, textIn } from './column.ts';

/** A marketplace or carrier by its name; one that is not known is shown as it came. */
export function service(title: string, from: string, means: string): ReadableColumn {
  return shown([title, [from], means], (row) => nameOf(textIn(row, from)));
}

/** An account by the name that it has among the connections. */
export function account(title: string, of: string, from: string, means: string): ReadableColumn {
  return shown([title, [of, from], means], (row, reader) => {
    const id = textIn(row, from);
    return id === null ? null : reader.accountName(textIn(row, of) ?? '', id);
  });
}

export function nameOf(slug: string | null): string | null {
  return slug === null ? null : serviceName(slug as ServiceSlug);
}
