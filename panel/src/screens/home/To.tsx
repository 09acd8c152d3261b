import { useFrame } from '../../frame/use-frame.ts';
import { PanelLink } from '../../parts/PanelLink.tsx';

export interface ToProps {
  readonly page:
    | 'balances'
    | 'connections'
    | 'findings'
    | 'keys'
    | 'orders'
    | 'shipments'
    | 'warehouse';
  readonly search?: string;
  readonly words: string;
}

/** A link to the screen that repairs the problem, where the role allows that screen. */
export function To({ page, search = '', words: text }: ToProps) {
  const link = useFrame().data?.navigation.find((one) => one.place === page);
  return link ? (
    <span>
      <PanelLink address={`${link.address}${search}`}>{text}</PanelLink>
    </span>
  ) : null;
}
