import { createContext, useContext } from 'react';
import { type Output, type ReadName, read, type WriteName } from '../client.ts';
import { useRead } from '../queries.ts';
import { queries } from '../query-client.ts';

const AGAIN_EVERY_MS = 60_000;
const FRAME = 'frame.read';
export const TIMEZONE = 'America/Mexico_City';

/** The person, the organisation and the navigation; undefined until they are known. */
export function useFrame() {
  return useRead(FRAME, {}, { againEveryMs: AGAIN_EVERY_MS });
}

/** Whether the person may call an operation; false until it is known. */
export function useMay(operation: ReadName | WriteName): boolean {
  return useFrame().data?.operations.includes(operation) ?? false;
}

/** The frame, as soon as it is known. @throws CallFailure */
export function awaitFrame(): Promise<Output<typeof FRAME>> {
  return queries.ensureQueryData({
    queryKey: [FRAME, {}],
    queryFn: ({ signal }) => read(FRAME, {}, signal),
  });
}

/** The names of the operations that the person may call, as soon as they are known. */
export async function allowedOperations(): Promise<readonly string[]> {
  return (await awaitFrame()).operations;
}

/** Given once for all rows of a screen: each `useFrame` watches the answer on its own. */
export const Timezone = createContext(TIMEZONE);

/** Whose days and times are shown. */
export function useTimezone(): string {
  return useContext(Timezone);
}
