import type { Output } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { alertWords } from './alert-words.ts';

interface ToProps {
  readonly page: Output<'frame.read'>['navigation'][number]['place'];
  readonly search?: string;
  /** Absent = the name of the screen. */
  readonly words?: string;
}

/** A link to the screen that repairs the problem, where the role allows that screen. */
export function To({ page, search = '', words: text }: ToProps) {
  const link = useFrame().data?.navigation.find((one) => one.place === page);
  return link ? (
    <span>
      <PanelLink address={`${link.address}${search}`}>
        {text ?? alertWords.seeIn(link.name)}
      </PanelLink>
    </span>
  ) : null;
}
