import { useRead } from '../queries.ts';

/** The name of each marketplace and carrier, by its slug, and of an account. */
export function useServices() {
  const { data } = useRead('connections.list', {});
  const services = data?.services ?? [];
  const marketplaces = services.filter(({ is_carrier }) => !is_carrier);
  const names = new Map<string, string>(services.map(({ service, name }) => [service, name]));
  const nameOf = (slug: string) => names.get(slug) ?? slug;
  const accounts = (data?.data ?? []).filter(({ state }) => state !== 'disconnected');
  /** The service, with the name of the account where the organisation has several. */
  const accountNameOf = ({ service, name }: { service: string; name: string }) => {
    const isOnly = accounts.filter((one) => one.service === service).length < 2;
    return isOnly ? nameOf(service) : `${nameOf(service)}, ${name}`;
  };
  return { marketplaces, nameOf, accountNameOf };
}
