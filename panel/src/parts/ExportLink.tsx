import { useFrame } from '../frame/use-frame.ts';
import { words } from '../words.ts';

const EXPORTS = '/cuenta/exportaciones';

/** A link to the exports, for roles that may create them. */
export function ExportLink() {
  const links = useFrame().data?.navigation ?? [];
  const link = links.find(({ address }) => address.startsWith(EXPORTS));
  return link ? (
    <a className="button quiet" href={link.address}>
      {words.orders.exportAll}
    </a>
  ) : null;
}
