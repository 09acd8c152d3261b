import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, invalid } from '../platform/failure.ts';

/** A place where a file can be written. @throws Failure not_found, invalid_request */
export async function freeFile(file: string): Promise<string> {
  const [folder, found] = await Promise.all([kindOf(dirname(file)), kindOf(file)]);
  if (folder !== 'folder')
    throw fail('not_found', { message: `No existe la carpeta ${dirname(file)}.` });
  if (found === 'folder') throw invalid('out', `${file} es una carpeta; indica un archivo.`);
  return file;
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'nothing'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'nothing';
    throw error;
  }
}

/** A Failure of what an operator can mend, else the error itself. */
export function unwritable(error: unknown, file: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ENOSPC', 'EDQUOT'].includes(code))
    return fail('service_unavailable', {
      message: `No hay espacio en el disco para ${file}. Libera espacio y repite la orden.`,
    });
  if (['EACCES', 'EPERM', 'EROFS'].includes(code))
    return invalid('out', `No se puede escribir en ${file}.`);
  return error;
}
