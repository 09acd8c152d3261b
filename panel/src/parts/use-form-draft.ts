import { useDraft } from './use-draft.ts';

type Fields = Readonly<Record<string, string>>;

/**
 * A draft over saved fields that a colleague may change meanwhile. It keeps the version that the
 * typing began with: the server refuses a change of an older one.
 */
export function useFormDraft<Saved extends Fields>(
  name: string,
  saved: Saved,
  /** Absent = a process of the former release answered. */
  version: string | undefined,
) {
  const known: Fields & { version: string } = { ...saved, version: version ?? '' };
  const draft = useDraft(name, known);
  const { version: begun, ...rest } = draft.values;
  const values = rest as unknown as Saved;
  const isChanged = Object.keys(saved).some((field) => values[field] !== saved[field]);
  return {
    values,
    isChanged,
    /** A colleague saved after the typing began. */
    isStale: version !== undefined && begun !== version,
    /** Sent with a change; undefined = unknown. */
    begun: begun || undefined,
    set: (field: string, value: string) => draft.put({ version: begun, [field]: value }),
    clear: draft.clear,
  };
}
