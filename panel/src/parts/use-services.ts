import { useRead } from '../queries.ts';

/** What is known of each marketplace and carrier, by its slug, and the name of an account. */
export function useServices() {
  const { data, isLoading } = useRead('connections.list', {});
  const services = data?.services ?? [];
  const marketplaces = services.filter(({ is_carrier }) => !is_carrier);
  const bySlug = new Map<string, (typeof services)[number]>(
    services.map((one) => [one.service, one]),
  );
  const serviceOf = (slug: string) => bySlug.get(slug);
  const nameOf = (slug: string) => bySlug.get(slug)?.name ?? slug;
  const every = data?.data ?? [];
  const accounts = every.filter(({ state }) => state !== 'disconnected');
  /** The name of an account, a disconnected one too; of one that is not known, its id. */
  const accountOf = (slug: string, id: string) =>
    every.find(({ service, account_id }) => service === slug && account_id === id)?.name ?? id;
  /** The service, with the name of the account where the organisation has several. */
  const accountNameOf = ({ service, name }: { service: string; name: string }) => {
    const isOnly = accounts.filter((one) => one.service === service).length < 2;
    return isOnly ? nameOf(service) : `${nameOf(service)}, ${name}`;
  };
  /** Marketplaces with an account that is not disconnected. */
  const connected = marketplaces.filter(({ service: slug }) =>
    accounts.some(({ service }) => service === slug),
  );
  const hasCarrier = accounts.some(({ service }) => serviceOf(service)?.is_carrier);
  return {
    marketplaces,
    connected,
    serviceOf,
    nameOf,
    accountOf,
    accountNameOf,
    hasCarrier,
    isLoading,
  };
}
