import type { ExchangeParts } from '../../exchange/parts.ts';
import { raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import { writeJournal } from '../../features/removals/index.ts';
import { INSTANCE } from '../../features/schedules/index.ts';

const ALERT = 'removals_unwritten';

/** Writes what is new into the journal of removals; an alert of the installation while it cannot. */
export async function keepRemovals(parts: ExchangeParts): Promise<void> {
  const { removalsFile: file } = parts;
  if (file === null) return;
  const instance = parts.database.within(INSTANCE);
  try {
    if (!(await writeJournal({ ...parts, file }))) return;
    await instance.write((scope) => resolveAlert(scope, ALERT, 'installation'));
  } catch (error) {
    const message = `No se pudo escribir ${file}. Mientras tanto, una restauración no repite lo que se elimine, olvide o revoque. Revisa el espacio y los permisos de la carpeta.`;
    await instance.write((scope) =>
      raiseAlert(scope, { kind: ALERT, subject: 'installation', message }),
    );
    throw error;
  }
}
