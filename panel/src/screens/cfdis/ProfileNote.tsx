import { cfdiWords } from '../../cfdi-words.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { useRead } from '../../queries.ts';

/** Without an own RFC no document is issued or received. */
export function ProfileNote() {
  const { data } = useRead('fiscal-profile.read', {});
  const frame = useFrame().data;
  const settings = frame?.navigation.find(({ place }) => place === 'settings');
  if (!data || data.rfcs.length > 0) return null;
  return (
    <div className="note">
      <p>{cfdiWords.noProfile}</p>
      {settings && frame?.operations.includes('fiscal-profile.change') && (
        <p>
          <PanelLink address={`${settings.address}#datos-fiscales`}>
            {cfdiWords.toProfile}
          </PanelLink>
        </p>
      )}
    </div>
  );
}
