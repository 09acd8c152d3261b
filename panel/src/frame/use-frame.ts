import { useRead } from '../queries.ts';

const AGAIN_EVERY_MS = 60_000;
const TIMEZONE = 'America/Mexico_City';

/** The person, the organisation and the navigation; undefined until they are known. */
export function useFrame() {
  return useRead('frame.read', {}, { againEveryMs: AGAIN_EVERY_MS });
}

/** Whose days and times are shown. */
export function useTimezone(): string {
  return useFrame().data?.organization.timezone ?? TIMEZONE;
}
