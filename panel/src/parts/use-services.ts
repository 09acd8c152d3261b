import { useRead } from '../queries.ts';

/** The name of each marketplace and carrier, by its slug. */
export function useServices() {
  const { data } = useRead('connections.list', {});
  const services = data?.services ?? [];
  const names = new Map<string, string>(services.map(({ service, name }) => [service, name]));
  return { services, nameOf: (slug: string) => names.get(slug) ?? slug };
}
