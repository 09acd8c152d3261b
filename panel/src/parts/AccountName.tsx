import { useServices } from './use-services.ts';

interface AccountNameProps {
  readonly service: string;
  readonly id: string;
}

/** An account of a service by its name here; its id is on the pointer. */
export function AccountName({ service, id }: AccountNameProps) {
  const { accountOf } = useServices();
  return <span title={id}>{accountOf(service, id)}</span>;
}
