import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * secreto: whsec_…
 * encabezados: los de la solicitud, con sus nombres en minúsculas
 * cuerpo: el texto tal como llegó, antes de leerlo como JSON
 */
export function esDeTianguis(secreto, encabezados, cuerpo) {
  const id = encabezados['webhook-id'];
  const hora = encabezados['webhook-timestamp'];
  const firmas = encabezados['webhook-signature'] ?? '';
  if (!(Math.abs(Date.now() / 1000 - Number(hora)) <= 300)) return false;
  const clave = Buffer.from(secreto.replace('whsec_', ''), 'base64');
  const esperada = createHmac('sha256', clave).update(`${id}.${hora}.${cuerpo}`).digest();
  return firmas.split(' ').some((firma) => {
    const [version, texto = ''] = firma.split(',');
    const dada = Buffer.from(texto, 'base64');
    return version === 'v1' && dada.length === esperada.length && timingSafeEqual(dada, esperada);
  });
}
