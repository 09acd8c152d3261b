import { useRead } from '../queries.ts';

/** What is known of each marketplace and carrier, by its slug, and the name of an account. */
export function useServices() {
  const { data } = useRead('connections.list', {});
  const services = data?.services ?? [];
  const marketplaces = services.filter(({ is_carrier }) => !is_carrier);
  const bySlug = new Map<string, (typeof services)[number]>(
    services.map((one) => [one.service, one]),
  );
  const serviceOf = (slug: string) => bySlug.get(slug);
  const nameOf = (slug: string) => bySlug.get(slug)?.name ?? slug;
  const accounts = (data?.data ?? []).filter(({ state }) => state !== 'disconnected');
  /** The service, with the name of the account where the organisation has several. */
  const accountNameOf = ({ service, name }: { service: string; name: string }) => {
    const isOnly = accounts.filter((one) => one.service === service).length < 2;
    return isOnly ? nameOf(service) : `${nameOf(service)}, ${name}`;
  };
  const hasCarrier = accounts.some(({ service }) => serviceOf(service)?.is_carrier);
  return { marketplaces, serviceOf, nameOf, accountNameOf, hasCarrier };
}
