import { useEffect } from 'react';
import type { WriteName } from '../client.ts';
import { useChange } from '../queries.ts';
import { useDraft } from './use-draft.ts';

type Fields = Readonly<Record<string, string>>;

/**
 * A draft over saved fields that a colleague may change meanwhile, and the change that saves it. It
 * keeps the version that the typing began with: the server refuses a change of an older one.
 *
 * @param operation that saves
 */
export function useFormDraft<Saved extends Fields, Name extends WriteName>(
  name: string,
  saved: Saved,
  /** Absent = a process of the former release answered. */
  version: string | undefined,
  operation: Name,
) {
  const known: Fields & { version: string } = { ...saved, version: version ?? '' };
  const { values: all, typed, put, clear, settle } = useDraft(name, known);
  const save = useChange(operation, { onRefreshed: settle });
  const { version: begun, ...rest } = all;
  const values = rest as unknown as Saved;
  const isChanged = Object.keys(saved).some((field) => values[field] !== saved[field]);
  const isSaving = save.isPending;
  // While a change is being saved, the newer version is its own.
  const isStale = !isSaving && version !== undefined && begun !== version;
  // What was typed while the former change was being saved begins with the version of that one.
  const isWithoutVersion = isChanged && !isSaving && typed.version === undefined;
  useEffect(() => {
    if (isWithoutVersion) put({ version: begun });
  });
  return {
    values,
    isChanged,
    save,
    /** A colleague saved after the typing began. */
    isStale,
    /** Of the last try. */
    failure: isStale ? null : save.error,
    /** Sent with a change; undefined = unknown. */
    begun: begun || undefined,
    set: (field: string, value: string) => put({ [field]: value }),
    clear,
  };
}
